/**
 * Loaded before the tests of a process (`--require`). Node's runner follows every promise to the test it comes from, which is
 * a tenth of the processor time of the processes of tests. It needs that to see which suite a test belongs to; once the first
 * test begins all of them are known, and it ends. An error that nobody catches fails the process still, without a test's name.
 *
 * In a process of several modules none waits at its top level: the tests of those before it would begin meanwhile.
 */
import hooks, { type AsyncHook } from 'node:async_hooks'

const { createHook } = hooks
let tracking: AsyncHook | undefined
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook
  return (tracking = createHook(callbacks))
}
process.getBuiltinModule('node:test').beforeEach(() => {
  tracking?.disable()
})
