// Reorders a collection by dragging, or with the arrow keys on an item's handle. Each move submits the item's form
// with its new position. Without scripts, the form has buttons and a field. Names are declared in a function, because
// scripts of a page share the global scope.
document.querySelectorAll('[data-order]').forEach((list) => {
  const state = document.body.querySelector('[data-moved]')
  const first = Number(list.getAttribute('start') ?? 1)
  const lines = () => [...list.children]

  /**
   * Sends the new position of an item. If the request fails, reloads the page to show the stored order.
   *
   * @param {Element} line
   */
  async function send(line) {
    const form = line.querySelector('form[data-move]')
    const position = first + lines().indexOf(line)
    const body = new URLSearchParams(new FormData(form))
    body.set('position', String(position))
    list.setAttribute('aria-busy', 'true')
    try {
      const response = await fetch(form.action, {
        method: 'POST',
        body,
        headers: { 'x-requested-with': 'fetch' },
        redirect: 'manual',
      })
      // Submitting the form leads to the sign-in page, and keeps the position as a draft.
      if (response.status === 401) {
        form.querySelector('input[name="position"]').value = String(position)
        form.submit()
        // Later moves must not replace the form that is being sent.
        return new Promise(() => {})
      }
      if (response.type !== 'opaqueredirect') throw new Error(String(response.status))
      updatePositions()
      state.textContent = `${state.dataset.moved} ${position}`
    } catch {
      location.reload()
    }
    list.removeAttribute('aria-busy')
  }

  /** Updates the positions in all fields and buttons. */
  function updatePositions() {
    const all = lines()
    const total = Number(list.dataset.order)
    all.forEach((line, index) => {
      const place = first + index
      const [up, down] = line.querySelectorAll('button[name="to"]')
      line.querySelector('input[name="position"]').value = String(place)
      up.value = String(Math.max(1, place - 1))
      down.value = String(place + 1)
      up.disabled = place === 1
      down.disabled = place === total
    })
  }

  /** Requests are sent one at a time, in the order of the moves. */
  let sent = Promise.resolve()
  /** @param {Element} line */
  const queue = (line) => (sent = sent.then(() => send(line)))

  /**
   * @param {Element} line
   * @param {number} delta
   */
  function shift(line, delta) {
    const other = delta < 0 ? line.previousElementSibling : line.nextElementSibling
    if (!other) return
    if (delta < 0) other.before(line)
    else other.after(line)
    void queue(line)
  }

  /**
   * Moves an item with the pointer. Listens on the document, because an element that moves within it loses the pointer.
   *
   * @param {Element} line
   */
  function drag(line) {
    const start = lines().indexOf(line)
    const listening = new AbortController()
    const { signal } = listening
    const end = () => {
      listening.abort()
      line.classList.remove('dragged')
    }
    line.classList.add('dragged')
    const move = (/** @type {PointerEvent} */ { clientY }) => {
      const over = lines().find((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return one !== line && clientY > top && clientY < bottom
      })
      if (!over) return
      const { top, height } = over.getBoundingClientRect()
      if (clientY < top + height / 2) over.before(line)
      else over.after(line)
    }
    const drop = () => {
      end()
      if (lines().indexOf(line) !== start) void queue(line)
    }
    document.addEventListener('pointermove', move, { signal })
    document.addEventListener('pointerup', drop, { signal })
    document.addEventListener('pointercancel', () => location.reload(), { signal })
  }

  for (const handle of list.querySelectorAll('.drag')) {
    const line = handle.closest('li')
    if (!line) continue
    handle.hidden = false
    handle.addEventListener('keydown', (event) => {
      const delta = Number(event.key === 'ArrowDown') - Number(event.key === 'ArrowUp')
      if (delta === 0) return
      event.preventDefault()
      shift(line, delta)
      handle.focus()
    })
    handle.addEventListener('pointerdown', (event) => {
      if (event.button === 0) drag(line)
    })
  }
})
