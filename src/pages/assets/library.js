// A status or score is sent as soon as it is chosen, and the page stays where it is: `form[data-mark]`. Without this the
// button of the form does it.
for (const form of document.querySelectorAll('form[data-mark]')) {
  form.classList.add('at-once')
  const controls = [...form.querySelectorAll('select')]
  const state = document.createElement('span')
  state.className = 'mark-state'
  state.setAttribute('role', 'status')
  form.append(state)
  const show = (name) => {
    form.dataset.state = name
    state.textContent = form.dataset[name] ?? ''
  }

  async function send() {
    const body = new URLSearchParams(new FormData(form))
    show('saving')
    try {
      const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' })
      // A redirect is what a form gets that was taken.
      if (answer.type !== 'opaqueredirect') throw new Error(String(answer.status))
      for (const control of controls)
        if (control.name === 'status') control.className = `status-${control.value || 'none'}`
      show('saved')
    } catch {
      show('failed')
    }
  }
  form.addEventListener('change', send)
}
