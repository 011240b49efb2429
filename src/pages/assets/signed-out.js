// Other tabs of this browser drop what they keep of whoever was signed in.
new BroadcastChannel('mokuroku-signed-out').postMessage(null)
