// Account pages: shows passwords, and copies, downloads and prints codes and tokens (`[data-codes]`).
const { show } = document.body.dataset
for (const input of document.querySelectorAll('input[type=password]')) {
  const box = document.createElement('input')
  const label = document.createElement('label')
  box.type = 'checkbox'
  box.setAttribute('aria-controls', input.id)
  label.className = 'check quiet'
  label.append(box, show)
  input.after(label)
  const turn = () => {
    input.type = box.checked ? 'text' : 'password'
  }
  box.addEventListener('change', turn)
  // Browsers recognize a password field only while it has the type `password`.
  input.form?.addEventListener('submit', () => {
    box.checked = false
    turn()
  })
}

for (const tools of document.querySelectorAll('[data-code-tools]')) {
  const list = /** @type {HTMLElement} */ (tools.previousElementSibling)
  const text = () =>
    [...list.querySelectorAll('code')].map(({ textContent }) => `${textContent}\n`).join('')
  const [copy, download, print] = ['copy', 'download', 'print'].map((name) =>
    tools.querySelector(`[data-${name}]`),
  )
  copy.hidden = !navigator.clipboard
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text())
    tools.querySelector('[role=status]').textContent = copy.dataset.done
  })
  download?.addEventListener('click', () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }))
    link.download = list.dataset.codes
    link.click()
    URL.revokeObjectURL(link.href)
  })
  print?.addEventListener('click', () => window.print())
  tools.hidden = false
}
