// Submits a form that needs no input. Without scripts, the user presses its button.
const form = document.querySelector('form[data-submit]')
if (form) form.submit()
