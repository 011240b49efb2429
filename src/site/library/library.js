// Saves a status or score as soon as it is chosen (`form[data-mark]`), undoes a change
// (`form[data-undo]`), and adds a volume or chapter (`form[data-step]`). Afterwards the part of the
// page that holds the form, `[data-own]`, is loaded again. On a card, `a[data-mark-link]` opens that
// part in place, and `a[data-menu-link]` in it opens the collections. `a[data-graded]` shows and
// hides a graded picture, replacing its `[data-graded-part]`. Without scripts, the forms have buttons
// and the links lead to pages.

/**
 * Replaces an element with a fragment loaded from a URL.
 *
 * @param {Element} element
 * @param {string | URL} address
 */
async function replace(element, address) {
  const response = await fetch(address, { headers: { 'x-requested-with': 'fetch' } })
  if (!response.ok) throw new Error(String(response.status))
  const container = document.createElement('div')
  container.innerHTML = await response.text()
  const part = /** @type {HTMLElement} */ (container.firstElementChild)
  element.replaceWith(part)
  return part
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const own = form.closest('[data-own]')
  if (!own) return
  const state = own.querySelector('.mark-state') ?? document.createElement('span')
  state.className = 'mark-state'
  state.setAttribute('role', 'status')
  own.append(state)
  // Safari does not focus a button when it is clicked.
  const { activeElement } = document
  const active = /** @type {HTMLElement | null} */ (
    own.contains(activeElement) ? activeElement : form.querySelector('[name=step]')
  )
  const tabIndex = active?.tabIndex
  const focused = active?.getAttribute('name')
  own.dataset.state = 'saving'
  try {
    const body = new URLSearchParams(new FormData(form))
    // The server redirects after accepting a form.
    const response = await fetch(form.action, {
      method: 'POST',
      body,
      headers: { 'x-requested-with': 'fetch' },
      redirect: 'manual',
    })
    // The submitted form leads to a page that explains the conflict, or to the sign-in.
    if (response.status === 409 || response.status === 401) return form.submit()
    if (response.type !== 'opaqueredirect') throw new Error(String(response.status))
    const part = await replace(own, own.dataset.own)
    part.dataset.state = 'saved'
    part.append(state)
    state.textContent = '✓'
    const next = focused ? part.querySelector(`[name="${focused}"]`) : null
    if (next && tabIndex !== undefined) next.tabIndex = tabIndex
    // After the last step, there is no button.
    const link = form.matches('[data-step]') ? itemOf(part)?.querySelector('a') : null
    const control = next ?? link
    control?.focus()
    showOnCard(part)
  } catch {
    own.dataset.state = 'failed'
    state.textContent = '!'
  }
}

/** @param {Element} part */
const itemOf = (part) => part.closest('[data-item], .entry')

/**
 * Updates the status, score and progress on a card or row.
 *
 * @param {HTMLElement} part
 */
function showOnCard(part) {
  const item = itemOf(part)
  const link = item?.querySelector('a[data-mark-link]')
  if (!item || !link) return
  const { status = '', word, score, read } = part.dataset
  const words = JSON.parse(item.closest('[data-words]')?.dataset.words ?? '{}')
  link.className = status === '' ? 'on-list add' : `on-list status-${status}`
  link.querySelector('span').textContent = status === '' ? '+' : (words[status] ?? word)
  const shown = item.querySelector('.own-score')
  if (shown) shown.textContent = score === '' ? '' : `★ ${score}`
  const text = item.querySelector('.own-read')
  if (text && read !== undefined) text.textContent = read
}

/**
 * Calls a function after the next frame, so that it does not delay the response to an input.
 *
 * @param {() => void} work
 */
function afterNextFrame(work) {
  requestAnimationFrame(() => setTimeout(work))
}

/** @param {HTMLAnchorElement} link */
async function open(link) {
  const panel = document.createElement('div')
  panel.className = 'mark-panel panel'
  panel.popover = 'auto'
  const own = document.createElement('div')
  panel.append(own)
  link.parentElement?.append(panel)
  panel.addEventListener('toggle', ({ newState }) => {
    if (newState !== 'closed') return
    // After Escape, the browser has returned the focus. After a tap outside, it may still be in the panel.
    const { activeElement } = document
    if (activeElement === document.body || panel.contains(activeElement)) link.focus()
    afterNextFrame(() => panel.remove())
  })
  try {
    await replace(
      own,
      `${link.pathname}/mark?${new URLSearchParams({ back: location.pathname + location.search, panel: '1' })}`,
    )
    panel.showPopover()
    panel.querySelector('select')?.focus()
  } catch {
    location.assign(link.href)
  }
}

/**
 * Shows a work's collections in the panel of its card, or hides them if they are shown.
 *
 * @param {HTMLAnchorElement} link
 */
async function openMenu(link) {
  const panel = link.closest('.mark-panel')
  if (!panel) return
  const shown = panel.querySelector('.collection-menu')
  if (shown) {
    shown.remove()
    link.ariaExpanded = 'false'
    return
  }
  const address = new URL(link.href)
  address.searchParams.set('part', '1')
  try {
    const place = document.createElement('div')
    panel.append(place)
    const menu = await replace(place, address)
    link.ariaExpanded = 'true'
    menu.querySelector('[type=checkbox]')?.focus()
  } catch {
    location.assign(link.href)
  }
}

/**
 * Sends the checked boxes and shows them as saved. If that fails, submits the form so that its page explains the error.
 *
 * @param {HTMLFormElement} form
 */
async function sendMenu(form) {
  const panel = form.closest('.mark-panel')
  if (!panel) return
  const link = panel.querySelector('a[data-menu-link]')
  const body = new URLSearchParams(new FormData(form))
  const response = await fetch(form.action, {
    method: 'POST',
    body,
    headers: { 'x-requested-with': 'fetch' },
    redirect: 'manual',
  }).catch(() => undefined)
  if (response?.type !== 'opaqueredirect') return form.submit()
  form.remove()
  await openMenu(link)
  const state = document.createElement('span')
  state.className = 'mark-state'
  state.setAttribute('role', 'status')
  panel.querySelector('.collection-menu button')?.after(state)
  state.textContent = '✓'
}

/**
 * Replaces the link with the same part of the page it leads to. Until then this page does not
 * contain the picture's URL.
 *
 * @param {HTMLAnchorElement} link
 */
async function showGraded(link) {
  const selector = `a[data-graded="${link.dataset.graded}"]`
  /** @param {Element} found */
  const partOf = (found) => found.closest('[data-graded-part]') ?? found
  try {
    const response = await fetch(link.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const part = partOf(page.body.querySelector(selector))
    partOf(link).replaceWith(part)
    document.body.querySelector(selector).focus()
  } catch {
    location.assign(link.href)
  }
}

/** Controls of a work in a list, in the order of the arrow keys. */
const CONTROLS = '.pick input, .own-link, a[data-mark-link], .own-next button'
const KEYS = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'])

/**
 * Counts the selected works in the bar that changes them, which is shown only if there are any.
 *
 * @param {HTMLElement} shelf
 */
function showSelected(shelf) {
  const selected = String(shelf.querySelectorAll('.pick :checked').length)
  if (shelf.dataset.selected === selected) return
  shelf.dataset.selected = selected
  const text = shelf.querySelector('.chosen')
  text.hidden = false
  text.querySelector('span').textContent = selected
}

/**
 * Makes a list one tab stop: the link of the work that had the focus last. Arrow keys lead to its other controls and to
 * other works, Home and End to the first and the last work.
 *
 * @param {HTMLElement} shelf
 * @param {HTMLElement} hint text that names the keys
 */
function moveByArrows(shelf, hint) {
  const controls = shelf.querySelectorAll(`[data-item] :is(${CONTROLS})`)
  for (const control of controls) control.tabIndex = -1
  /** @type {HTMLElement | null} */
  let stop = shelf.querySelector('.own-link')
  if (stop) stop.tabIndex = 0
  const showHint = () =>
    afterNextFrame(() => {
      hint.hidden = !shelf.querySelector(`:is(${CONTROLS}):focus-visible`)
    })
  shelf.addEventListener('focusin', ({ target }) => {
    const control = /** @type {Element} */ (target)
    const link = control.closest('[data-item]')?.querySelector('.own-link')
    if (stop && link) {
      stop.tabIndex = -1
      stop = link
      stop.tabIndex = 0
    }
    showHint()
  })
  shelf.addEventListener('focusout', showHint)
  shelf.addEventListener('keydown', (event) => {
    const { target, key, altKey, ctrlKey, metaKey, shiftKey } = event
    const control = /** @type {HTMLElement} */ (target)
    const item = control.closest('[data-item]')
    if (!item || !KEYS.has(key) || altKey || ctrlKey || metaKey || shiftKey) return
    const place = [...item.querySelectorAll(CONTROLS)].indexOf(control)
    if (place < 0) return
    const items = [...shelf.querySelectorAll('[data-item]')]
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0
    const step = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0
    const at = { Home: 0, End: items.length - 1 }[key] ?? items.indexOf(item) + step
    const next = items[at]?.querySelectorAll(CONTROLS)[place + side]
    if (!next) return
    event.preventDefault()
    next.focus()
  })
}

const ownShelf = document.querySelector('.own-shelf')
const keysHint = ownShelf?.querySelector('[data-keys]')
if (ownShelf && keysHint) {
  moveByArrows(ownShelf, keysHint)
  showSelected(ownShelf)
  ownShelf.addEventListener('change', () => showSelected(ownShelf))
  // Browsers restore the boxes of a page that the user returns to.
  window.addEventListener('pageshow', () => showSelected(ownShelf))
}

document.addEventListener('change', ({ target }) => {
  const form = /** @type {Element} */ (target).closest('form[data-mark]')
  if (form) void send(form)
})
document.addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target)
  const inPlace = form.matches('[data-own] form:is([data-undo], [data-step])')
  const menu = form.matches('.mark-panel .collection-menu')
  if (!inPlace && !menu) return
  event.preventDefault()
  void (inPlace ? send(form) : sendMenu(form))
})
document.addEventListener('click', (event) => {
  const link = /** @type {Element} */ (event.target).closest(
    'a[data-mark-link], a[data-graded], .mark-panel a[data-menu-link]',
  )
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  if (link.matches('[data-graded]')) void showGraded(link)
  else void (link.matches('[data-menu-link]') ? openMenu(link) : open(link))
})
