// Buttons that copy what stands in a field; without scripts the field is marked by hand.
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

// A device that asks for its tokens: each answer is put below those before it. Without scripts it is a page.
document.addEventListener('submit', async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target)
  if (!form.matches('form[data-poll]')) return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, event.submitter))
  const answer = await fetch(form.action, { method: 'POST', body }).catch(() => undefined)
  const page = answer && new DOMParser().parseFromString(await answer.text(), 'text/html')
  const next = page?.querySelector('.poll')
  // Signed out meanwhile, or the try is over: what there is to say is a page.
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
