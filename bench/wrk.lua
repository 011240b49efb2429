-- What wrk sends and says, driven by arguments behind `--`:
--   ids=N      GET of the path with a random id of 1..N in place of its last segment
--   think=MS   every connection pauses 1..2*MS-1 milliseconds before each request
--   mix=N      GET of details of works 1..N, and of lists
--   form=TEXT  POST of that form
--   tokens=FILE  a bearer token of a line of that file, a random one each time
--   ratings=true  PUT of a rating with a random score
-- The last line it prints has six numbers: requests, microseconds they took, how many got no response, how many got a
-- status from 400 on, and the latencies that 50 and 99 of 100 stayed below, in microseconds.

function init(args)
  for _, argument in ipairs(args) do
    local name, value = argument:match('^(%w+)=(.*)$')
    if name == 'ids' then ids = tonumber(value) end
    if name == 'tokens' then read_tokens(value) end
    if name == 'ratings' then rates = true end
    if name == 'think' then pause(tonumber(value)) end
    if name == 'mix' then works = tonumber(value) end
    if name == 'form' then post(value) end
  end
  if works then request = mix
  elseif ids or tokens or rates then request = vary end
end

local folder, query
math.randomseed(os.time())

function vary()
  if not folder then folder, query = wrk.path:match('^(.*/)[^?]*(.*)$') end
  local path = ids and folder .. math.random(ids) .. query or wrk.path
  local as = tokens and tokens[math.random(#tokens)] or wrk.headers
  if not rates then return wrk.format(nil, path, as) end
  return wrk.format('PUT', path, as, '{"status": "COMPLETED", "rate": ' .. math.random(10) .. '}')
end

local sorts = { 'popularity', 'score', 'date', 'name', 'changed' }

function mix()
  local folder = '/api/v3/open/galgames'
  if math.random(3) > 1 then return wrk.format(nil, folder .. '/' .. math.random(works)) end
  return wrk.format(nil, string.format('%s?platform=%d&page=%d&sort=%s',
    folder, math.random(0, 6), math.random(20), sorts[math.random(#sorts)]))
end

function read_tokens(file)
  tokens = {}
  for token in io.lines(file) do
    local one = { ['Content-Type'] = 'application/json', ['Authorization'] = 'Bearer ' .. token }
    for name, value in pairs(wrk.headers) do one[name] = value end
    table.insert(tokens, one)
  end
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
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  print(string.format(
    '\n%d %d %d %d %d %d',
    summary.requests, summary.duration, failed, errors.status, latency:percentile(50), latency:percentile(99)
  ))
end
