-- What wrk sends and says, driven by arguments behind `--`:
--   ids=N      GET of the path with a random id of 1..N in place of the id it ends with
--   think=MS   every connection pauses 1..2*MS-1 milliseconds before each request
--   form=TEXT  POST of that form
-- The last line it prints has five numbers: requests, microseconds they took, how many failed, and the latencies that
-- 50 and 99 of 100 stayed below, in microseconds.

function init(args)
  for _, argument in ipairs(args) do
    local name, value = argument:match('^(%w+)=(.*)$')
    if name == 'ids' then send_random_ids(tonumber(value)) end
    if name == 'think' then pause(tonumber(value)) end
    if name == 'form' then post(value) end
  end
end

function send_random_ids(count)
  local folder = wrk.path:match('^(.*/)')
  math.randomseed(os.time())
  request = function() return wrk.format(nil, folder .. math.random(count)) end
end

function pause(mean)
  delay = function() return math.random(2 * mean - 1) end
end

function post(form)
  wrk.method = 'POST'
  wrk.body = form
  wrk.headers['Content-Type'] = 'application/x-www-form-urlencoded'
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format(
    '\n%d %d %d %d %d',
    summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99)
  ))
end
