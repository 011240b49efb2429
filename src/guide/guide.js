// Filters the operations while the user types.
const filter = document.querySelector('form[data-filter]')
if (filter) {
  const state = document.body.querySelector('[data-count]')
  const narrow = () => {
    /** @type {string[]} */
    const words = filter.q.value.toLowerCase().split(/\s+/).filter(Boolean)
    let count = 0
    for (const part of document.querySelectorAll('[data-part]')) {
      let left = 0
      for (const line of part.querySelectorAll('[data-text]')) {
        line.hidden = !words.every((word) => line.dataset.text.includes(word))
        if (!line.hidden) left += 1
      }
      part.hidden = left === 0
      count += left
    }
    state.textContent =
      count === 0 ? state.dataset.none : state.dataset.count.replace('0', String(count))
  }
  // Operations that the server has already filtered out cannot be shown again.
  if (!new URLSearchParams(location.search).get('q')) {
    filter.addEventListener('input', narrow)
    if (filter.q.value) narrow()
  }
}
