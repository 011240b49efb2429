import type { Messages } from '../../pages/messages/en.ts'

/** The rules of apps answer in English, for programs; here by what they say, the key of the words for people. */
const KEYS: [start: string, key: Exclude<keyof Messages['appFaults'], 'tooManyApps'>][] = [
  ['must be at most 2048', 'tooLong'],
  ['must not contain spaces', 'characters'],
  ['must be an absolute', 'notAddress'],
  ['must not have a fragment', 'fragment'],
  ['must not contain a wildcard', 'wildcard'],
  ['must not use the scheme', 'scheme'],
  ['must not contain a user name', 'credentials'],
  ['must name a host', 'notAddress'],
  ['must be https, or http of', 'notLoopback'],
  ['must not be there twice', 'twice'],
  ['must be an https address', 'webAddress'],
  ['must have 1 to 64', 'name'],
  ['must not contain control', 'nameControls'],
  ['must stay false', 'blocked'],
]

/** @returns the message itself where there are no words of ours for it */
export function ruleText({ appFaults }: Messages, message: string): string {
  const [, key] = KEYS.find(([start]) => message.startsWith(start)) ?? []
  if (key !== undefined) return appFaults[key]
  return message.includes('register a redirect URI') ? appFaults.needsAddress : message
}

/** The same of an address of a page, which cannot have a scheme of a program's own. */
export const pageRuleText = (messages: Messages, message: string): string =>
  message.startsWith('must not use the scheme') ? messages.appFaults.webAddress : ruleText(messages, message)
