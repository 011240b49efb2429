// Copy buttons. Without scripts, users select the field by hand.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = /** @type {HTMLInputElement | null} */ (
    document.getElementById(button.dataset.copy)
  )
  if (!field || !navigator.clipboard) continue
  button.hidden = false
  const text = button.textContent
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(field.value)
    button.textContent = button.dataset.copied
    setTimeout(() => {
      button.textContent = text
    }, 2_000)
  })
}

// Adds a field for a redirect URI. Without scripts, the server renders the form with another field.
document.addEventListener('click', (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest('button[data-add-address]')
  if (!button) return
  event.preventDefault()
  const fields = button.parentElement?.querySelectorAll('.field') ?? []
  const copy = /** @type {HTMLElement} */ (fields[fields.length - 1]?.cloneNode(true))
  const [input, label] = [copy.querySelector('input'), copy.querySelector('label')]
  input.id = input.name = label.htmlFor = `address_${fields.length}`
  input.value = ''
  input.removeAttribute('aria-invalid')
  input.removeAttribute('aria-describedby')
  copy.querySelector('.fault')?.remove()
  label.textContent = (button.dataset.addAddress ?? '').replace('0', String(fields.length + 1))
  button.before(copy)
  input.focus()
  if (fields.length + 1 >= Number(button.dataset.most)) button.remove()
})

// Device flow: appends each response to the previous ones. Without scripts, each one is a new page.
document.addEventListener('submit', async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target)
  if (!form.matches('form[data-poll]')) return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, event.submitter))
  const answer = await fetch(form.action, { method: 'POST', body }).catch(() => undefined)
  const page = answer && new DOMParser().parseFromString(await answer.text(), 'text/html')
  const next = page?.querySelector('.poll')
  // The session or the device flow has ended: reload to show the page that explains it.
  if (!page || !next) return location.assign(location.pathname)
  const steps = [...page.querySelectorAll('.http-steps > li')]
  document.body.querySelector('.http-steps').append(...steps)
  document.body
    .querySelector('.poll-state')
    .replaceChildren(...next.querySelector('.poll-state').childNodes)
  if (!next.querySelector('form')) {
    document.body.querySelector('.device-try').hidden = true
    form.replaceWith(next.querySelector('a').parentElement ?? '')
  }
  steps.at(-1)?.scrollIntoView({ block: 'nearest' })
})
