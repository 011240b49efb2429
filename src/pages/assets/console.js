// Buttons that copy what stands in a field; without scripts the field is marked by hand.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy)
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
