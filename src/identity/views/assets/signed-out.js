// Makes other tabs of this browser discard data of the signed-out user.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin, and takes no other
new BroadcastChannel('mokuroku-signed-out').postMessage(null)
