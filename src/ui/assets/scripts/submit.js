// Sends the form that only carries something on; without scripts its button does.
const form = document.querySelector('form[data-submit]')
if (form) form.submit()
