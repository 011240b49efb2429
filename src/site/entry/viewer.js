// Opens the pictures of a work (`a[data-view]`) in a dialog, in which the arrow keys show the others. Without scripts, the
// links lead to the files. A picture that is not shown has no link.
const words = JSON.parse(document.querySelector('[data-viewer]')?.dataset.viewer ?? '{}')
const dialog = document.createElement('dialog')
const image = document.createElement('img')
const place = document.createElement('p')
const bar = document.createElement('div')
/** @type {HTMLAnchorElement[]} */
let links = []
let current = 0

/** @param {number} index */
function show(index) {
  current = (index + links.length) % links.length
  const link = links[current]
  image.src = link.href
  image.alt = link.getAttribute('aria-label') ?? link.querySelector('img')?.alt ?? ''
  dialog.setAttribute('aria-label', image.alt)
  place.textContent = `${current + 1} / ${links.length}`
}

/**
 * @param {string} sign
 * @param {string} label
 * @param {() => void} act
 */
function addButton(sign, label, act) {
  const button = document.createElement('button')
  button.className = 'secondary'
  button.textContent = sign
  button.setAttribute('aria-label', label)
  button.addEventListener('click', act)
  bar.append(button)
}

dialog.className = 'viewer'
bar.className = 'cluster'
place.setAttribute('role', 'status')
addButton('←', words.previous, () => show(current - 1))
bar.append(place)
addButton('→', words.next, () => show(current + 1))
addButton('×', words.close, () => dialog.close())
dialog.append(image, bar)
document.body.append(dialog)

dialog.addEventListener('keydown', ({ key }) => {
  if (key === 'ArrowLeft') show(current - 1)
  if (key === 'ArrowRight') show(current + 1)
})
dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())

document.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target)
  const link = target.closest('a[data-view]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  links = [...document.querySelectorAll('a[data-view]')]
  dialog.classList.toggle('single', links.length === 1)
  show(links.indexOf(link))
  dialog.showModal()
})
