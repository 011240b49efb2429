// A status or score is sent as soon as it is chosen: `form[data-mark]`, and `form[data-undo]` at a press. What was sent is then
// shown by the part of the page that holds the form, fetched anew: `[data-own]`. On a card a link opens that part in place:
// `a[data-mark-link]`; and from there another the boxes of collections: `a[data-menu-link]`. A graded picture is shown and hidden
// in place, with the `[data-graded-part]` it stands in: `a[data-graded]`. Without this file the forms have buttons, and the links lead to pages.

/** Puts the part of a page that an address answers in the place of an element. */
async function replace(element, address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(String(answer.status))
  const holder = document.createElement('div')
  holder.innerHTML = await answer.text()
  const part = holder.firstElementChild
  element.replaceWith(part)
  return part
}

async function send(form) {
  const own = form.closest('[data-own]')
  const state = own.querySelector('.mark-state') ?? document.createElement('span')
  state.className = 'mark-state'
  state.setAttribute('role', 'status')
  own.append(state)
  const focused = document.activeElement?.name
  own.dataset.state = 'saving'
  try {
    const body = new URLSearchParams(new FormData(form))
    // A redirect is what a form gets that was taken.
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' })
    // The page that it leads to says why.
    if (answer.status === 409) return form.submit()
    if (answer.type !== 'opaqueredirect') throw new Error(String(answer.status))
    const part = await replace(own, own.dataset.own)
    part.dataset.state = 'saved'
    part.append(state)
    state.textContent = '✓'
    part.querySelector(`[name="${focused}"]`)?.focus()
    showOnCard(part)
  } catch {
    own.dataset.state = 'failed'
    state.textContent = '!'
  }
}

/** The mark of the card that a part was opened from. */
function showOnCard(part) {
  const link = part.closest('.entry')?.querySelector('a[data-mark-link]')
  if (!link) return
  const { status, word } = part.dataset
  link.className = status === '' ? 'on-list add' : `on-list status-${status}`
  link.firstElementChild.textContent = status === '' ? '+' : word
}

async function open(link) {
  const card = link.closest('.entry')
  const panel = document.createElement('div')
  panel.className = 'mark-panel panel'
  panel.popover = 'auto'
  const own = document.createElement('div')
  panel.append(own)
  card.append(panel)
  panel.addEventListener('toggle', ({ newState }) => {
    if (newState !== 'closed') return
    panel.remove()
    link.focus()
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

/** The boxes of a work's collections in the panel of its card; a second press puts them away. */
async function openMenu(link) {
  const panel = link.closest('.mark-panel')
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

/** What was ticked is shown again as it is kept. What is refused is told by the page that the form leads to without script. */
async function sendMenu(form) {
  const panel = form.closest('.mark-panel')
  const link = panel.querySelector('a[data-menu-link]')
  const body = new URLSearchParams(new FormData(form))
  const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(
    () => undefined,
  )
  if (answer?.type !== 'opaqueredirect') return form.submit()
  form.remove()
  await openMenu(link)
  const state = document.createElement('span')
  state.className = 'mark-state'
  state.setAttribute('role', 'status')
  panel.querySelector('.collection-menu button')?.after(state)
  state.textContent = '✓'
}

/** Puts the picture of the page that the link leads to in its place: only from then on there is an address of it here. */
async function showGraded(link) {
  const same = `a[data-graded="${link.dataset.graded}"]`
  const partOf = (found) => found.closest('[data-graded-part]') ?? found
  try {
    const answer = await fetch(link.href)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const part = partOf(page.querySelector(same))
    partOf(link).replaceWith(part)
    document.querySelector(same).focus()
  } catch {
    location.assign(link.href)
  }
}

document.addEventListener('change', ({ target }) => {
  const form = target.closest('form[data-mark]')
  if (form) void send(form)
})
document.addEventListener('submit', (event) => {
  const undo = event.target.closest('[data-own] form[data-undo]')
  const menu = event.target.closest('.mark-panel .collection-menu')
  if (!undo && !menu) return
  event.preventDefault()
  void (undo ? send(undo) : sendMenu(menu))
})
document.addEventListener('click', (event) => {
  const link = event.target.closest(
    'a[data-mark-link], a[data-graded], .mark-panel a[data-menu-link]',
  )
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
  event.preventDefault()
  if (link.matches('[data-graded]')) void showGraded(link)
  else void (link.matches('[data-menu-link]') ? openMenu(link) : open(link))
})
