// Instant search: `form[data-find]` shows the response of /search/instant below its field. Enter
// submits the form unless a result is focused.
for (const form of document.querySelectorAll('form[data-find]')) enhance(form)

/** @param {HTMLFormElement} form */
function enhance(form) {
  const field = form.querySelector('input[type=search]')
  const panel = document.createElement('div')
  panel.id = 'found'
  panel.className = 'found panel'
  panel.hidden = true
  form.append(panel)
  field.setAttribute('aria-controls', panel.id)
  field.setAttribute('aria-keyshortcuts', '/')
  field.title = form.dataset.find
  /** @type {number | undefined} */
  let timer
  /** @type {AbortController | undefined} */
  let pending

  const close = () => {
    panel.hidden = true
    pending?.abort()
  }
  const links = () => [...panel.querySelectorAll('a')]

  async function search() {
    const q = field.value.trim()
    pending?.abort()
    if (q === '') return close()
    pending = new AbortController()
    const { signal } = pending
    try {
      const response = await fetch(`/search/instant?${new URLSearchParams({ q })}`, { signal })
      if (!response.ok) return close()
      panel.innerHTML = await response.text()
      panel.hidden = false
    } catch {
      if (!signal.aborted) close()
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, 150)
  })
  form.addEventListener('submit', () => clearTimeout(timer))
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) {
      close()
      field.focus()
      event.preventDefault()
    }
    if (panel.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    const all = [field, ...links()]
    const step = event.key === 'ArrowDown' ? 1 : -1
    const next = all.findIndex((element) => element === document.activeElement) + step
    all.at(next % all.length)?.focus()
    event.preventDefault()
  })
  document.addEventListener('click', (event) => {
    if (!form.contains(/** @type {Node} */ (event.target))) close()
  })
  form.addEventListener('focusout', (event) => {
    const next = /** @type {Node | null} */ (event.relatedTarget)
    if (next && !form.contains(next)) close()
  })
}

// `/` focuses the search box, as on many catalog sites, unless the user is typing.
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  const target = /** @type {Element} */ (event.target)
  if (target.closest('input, textarea, select, [contenteditable]')) return
  document.querySelector('form[data-find] input[type=search]')?.focus()
  event.preventDefault()
})

// Menus close when the user clicks or moves the focus elsewhere, or presses Escape.
/** @param {Event} event */
function closeMenus({ target }) {
  for (const menu of document.querySelectorAll('details.drop[open]'))
    if (!menu.contains(/** @type {Node} */ (target))) menu.open = false
}
document.addEventListener('click', closeMenus)
document.addEventListener('focusin', closeMenus)
document.addEventListener('keydown', ({ key, target }) => {
  const menu = key === 'Escape' && /** @type {Element} */ (target).closest('details.drop[open]')
  if (!menu) return
  menu.open = false
  menu.querySelector('summary').focus()
})
