import { channel } from 'node:diagnostics_channel'

/**
 * Channel that receives true before a statement from another process runs in this one, and false after it. Such a
 * statement may block the event loop for minutes.
 */
export const COMMAND_STATEMENTS = channel('mokuroku:command-statement')
