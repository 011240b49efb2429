// Counts down the first element within `[data-countdown]` and replaces the text when it reaches zero.
for (const line of document.querySelectorAll('[data-countdown]')) {
  const end = Date.now() + Number(line.dataset.countdown) * 1_000
  const seconds = line.querySelector('span')
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1_000)
    if (left <= 0) {
      clearInterval(timer)
      line.textContent = line.dataset.ready
      line.setAttribute('role', 'status')
    } else seconds.textContent = String(left)
  }
  const timer = setInterval(tick, 250)
}
