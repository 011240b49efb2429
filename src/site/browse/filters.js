// Applies the filters of a list as soon as one of them changes (`form[data-filters]`), and returns the focus to the
// changed field on the new page. Without scripts, the form has a button.

/** Time, in milliseconds, in which further changes join the first, such as steps through a list by keyboard. */
const DELAY_MS = 400
const CHANGED_FIELD = 'changed-filter'

for (const form of document.querySelectorAll('form[data-filters]')) {
  /** @type {number | undefined} */
  let timer
  form.addEventListener('change', ({ target }) => {
    clearTimeout(timer)
    sessionStorage.setItem(CHANGED_FIELD, /** @type {Element} */ (target).id)
    timer = setTimeout(() => form.requestSubmit(), DELAY_MS)
  })
  form.addEventListener('submit', () => clearTimeout(timer))
  // The server redirects to the URL without empty fields, which takes another request.
  form.addEventListener('formdata', ({ formData }) => {
    const kept = [...formData].filter(([, value]) => value !== '')
    for (const name of new Set(formData.keys())) formData.delete(name)
    for (const [name, value] of kept) formData.append(name, value)
  })

  const field = document.getElementById(sessionStorage.getItem(CHANGED_FIELD) ?? '')
  sessionStorage.removeItem(CHANGED_FIELD)
  if (!field || !form.contains(field)) continue
  const filters = form.closest('details')
  if (filters) filters.open = true
  field.focus({ preventScroll: true })
}
