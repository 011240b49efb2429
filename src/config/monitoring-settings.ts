import type { Setting } from './setting.ts'
import {
  accessLogTarget,
  integer,
  oneOf,
  privateHostAndPort,
  share,
  url,
} from './setting-readers.ts'

/** Settings of metrics, traces and logs. */
export const MONITORING_SETTINGS = {
  METRICS_ADDRESS: {
    read: privateHostAndPort,
    default: undefined,
    about:
      'Address and port, such as `127.0.0.1:9464`, for metrics and health checks. Must not be public; `0.0.0.0` and `::` refuse connections from public addresses. If unset, there are no metrics.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    read: url('http://collector:4318', 'http', 'https'),
    default: undefined,
    about:
      'URL of an OpenTelemetry collector that receives traces by OTLP over HTTP. If unset, there are no traces.',
    secret: 'password',
  },
  OTEL_SERVICE_NAME: {
    read: (value: string) => value,
    default: 'mokuroku',
    about: 'Name of this service in traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    read: share,
    default: '1',
    about:
      'Share of the traces to send, from 0 to 1. Traces started by a proxy keep its sampling decision.',
  },
  LOG_LEVEL: {
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    default: 'info',
    about: 'Minimum level to log: `fatal`, `error`, `warn`, `info`, `debug` or `silent`.',
  },
  ACCESS_LOG: {
    read: accessLogTarget,
    default: 'off',
    about:
      'Where to log one line per request: `off`, `log` (the log on standard error), `stdout`, or the path of a file, which SIGHUP reopens.',
  },
  ACCESS_LOG_FORMAT: {
    read: oneOf('json', 'combined'),
    default: 'json',
    about:
      'Format of the access log on `stdout` or in a file: JSON lines, or the combined format of Apache and nginx.',
  },
  ACCESS_LOG_SAMPLE: {
    read: integer(1, 1_000_000),
    default: '1',
    about:
      'Logs one in this many successful requests (2xx). Unsuccessful requests are always logged.',
  },
} satisfies Record<string, Setting<unknown>>
