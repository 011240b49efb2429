import type { Messages } from './messages.ts'

/** Maximum number of characters read from a user agent. */
const MAX_USER_AGENT_LENGTH = 500

/** The first match wins, because most browsers also claim to be others. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPT)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bMQQBrowser\/|\bQQBrowser\//, 'QQ Browser'],
  [/\bUCBrowser\//, 'UC Browser'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * Describes a browser in plain words, such as “Firefox on Windows”. The user agent may lie, so this is only a guess.
 */
export function deviceName({ accountSessions: texts }: Messages, userAgent: string): string {
  const beginning = userAgent.slice(0, MAX_USER_AGENT_LENGTH)
  const find = (names: [RegExp, string][]) =>
    names.find(([pattern]) => pattern.test(beginning))?.[1]
  const browser = find(BROWSERS)
  const system = find(SYSTEMS)
  if (browser !== undefined && system !== undefined) return texts.browserOn({ browser, system })
  return browser ?? system ?? texts.unknownDevice
}
