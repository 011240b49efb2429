// Makes other tabs of this browser discard data of the signed-out user.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel is limited to one origin and takes no target
new BroadcastChannel('mokuroku-signed-out').postMessage(null)
