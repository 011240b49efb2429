// Passkeys: `form[data-passkey]` signs in with one, `form[data-passkey-add]` adds one. Without browser support, or on an
// IP address, which cannot have passkeys, both stay hidden and `[data-without-passkeys]` is shown instead.
const isAddress = /^[\d.]+$|^\[/.test(location.hostname)
if (!isAddress && 'PublicKeyCredential' in window && 'SimpleWebAuthnBrowser' in window) {
  const { startAuthentication, startRegistration } = window.SimpleWebAuthnBrowser
  for (const form of document.querySelectorAll('form[data-passkey]'))
    serve(form, startAuthentication)
  for (const form of document.querySelectorAll('form[data-passkey-add]'))
    serve(form, startRegistration)
  for (const element of document.querySelectorAll('[data-without-passkeys]')) element.hidden = true
}

/**
 * Signs with the passkey before the form is sent.
 *
 * @param {HTMLFormElement} form
 * @param {(options: { optionsJSON: any }) => Promise<unknown>} start
 */
function serve(form, start) {
  const button = form.querySelector('button')
  const failure = form.querySelector('[data-passkey-failed]')
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    if (failure) failure.hidden = true
    try {
      const answer = await fetch(`${form.action.split('?')[0]}/options`, {
        method: 'POST',
        body: new URLSearchParams(new FormData(form)),
        redirect: 'error',
      })
      // The input is invalid. Submitting the form unchanged makes the page show the errors.
      if (answer.status === 422 || answer.status === 429) return form.submit()
      if (!answer.ok) throw new Error(`The options request failed with ${answer.status}`)
      const signed = await start({ optionsJSON: await answer.json() })
      form.querySelector('input[name=response]').value = JSON.stringify(signed)
      form.submit()
    } catch {
      if (failure) failure.hidden = false
      button.disabled = false
    }
  })
}
