// Other tabs of this browser drop what they keep of whoever was signed in.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin, and takes no other
new BroadcastChannel('mokuroku-signed-out').postMessage(null)
