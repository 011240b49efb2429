import { Command, InvalidArgumentError } from 'commander'
import { setAppEnabled, setAppLimit } from '../../../src/apps/queries.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { withDatabase } from '../../with-database.ts'

const DISABLE_HELP = `
The app gets no tokens and cannot sign in users. Its existing tokens are
rejected within a second. Its developer cannot undo this; use mokuroku app
enable.

Example: mokuroku app disable mk_0pF0pzMNHVcOXizc`

const LIMIT_HELP = `
Takes effect in every running process within a second.

Examples:
  mokuroku app limit mk_0pF0pzMNHVcOXizc 600
  mokuroku app limit mk_0pF0pzMNHVcOXizc default`

export const APP_ARGUMENT = ['<client-id>', 'client ID, as shown by "mokuroku app list"'] as const

export const disableCommand = () =>
  new Command('disable')
    .description('disable an app')
    .argument(...APP_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText('after', DISABLE_HELP)
    .action((clientId: string, options: PrintOptions) => setEnabled(clientId, false, options))

export const enableCommand = () =>
  new Command('enable')
    .description('enable a disabled app')
    .argument(...APP_ARGUMENT)
    .option(...JSON_OPTION)
    .action((clientId: string, options: PrintOptions) => setEnabled(clientId, true, options))

export const limitCommand = () =>
  new Command('limit')
    .description('set the maximum catalog requests per minute of an app')
    .argument(...APP_ARGUMENT)
    .argument(
      '<n>',
      'requests per minute, or "default" for CATALOG_REQUESTS_PER_MINUTE',
      (value: string) => (value === 'default' ? null : positiveInteger(value)),
    )
    .option(...JSON_OPTION)
    .addHelpText('after', LIMIT_HELP)
    .action(setLimit)

async function setEnabled(clientId: string, enabled: boolean, options: PrintOptions) {
  const { outcome } = await withDatabase((db) => setAppEnabled(db, clientId, enabled))
  if (outcome === 'missing') throw appNotFound(clientId)
  print(options, { client_id: clientId, enabled }, [
    `${enabled ? 'Enabled' : 'Disabled'} ${clientId}.`,
  ])
}

async function setLimit(clientId: string, requestsPerMinute: number | null, options: PrintOptions) {
  const { outcome } = await withDatabase((db) => setAppLimit(db, clientId, requestsPerMinute))
  if (outcome === 'missing') throw appNotFound(clientId)
  const limit =
    requestsPerMinute === null ? 'the default number of requests' : `${requestsPerMinute} requests`
  print(options, { client_id: clientId, requests_per_minute: requestsPerMinute }, [
    `${clientId} may send ${limit} per minute.`,
  ])
}

export const appNotFound = (clientId: string) => new Error(`App ${clientId} does not exist.`)

/**
 * Parses a number of hours.
 *
 * @throws {InvalidArgumentError} for anything but whole hours, up to 30 days
 */
export function hoursAsSeconds(value: string) {
  const hours = positiveInteger(value)
  if (hours > 720) throw new InvalidArgumentError('It must be at most 720 (30 days).')
  return hours * 3_600
}

/** @throws {InvalidArgumentError} for anything but a positive integer */
export function positiveInteger(value: string) {
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw new InvalidArgumentError('It must be a whole number, at least 1.')
  return Number(value)
}
