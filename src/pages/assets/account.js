// Of the pages about accounts. Times that no reader has chosen a zone for are told by the browser's clock: `time[data-local]`.
// A password can be looked at. Recovery codes can be copied, downloaded and printed: `[data-codes]`.
const { lang } = document.documentElement
const local = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
for (const time of document.querySelectorAll('time[data-local]')) {
  time.title = time.textContent
  time.textContent = local.format(new Date(time.dateTime))
}

const { show, hide } = document.body.dataset
for (const input of document.querySelectorAll('input[type=password]')) {
  const button = document.createElement('button')
  const row = document.createElement('div')
  row.className = 'password'
  button.type = 'button'
  button.className = 'secondary'
  button.textContent = show
  button.setAttribute('aria-controls', input.id)
  const focused = document.activeElement === input
  input.replaceWith(row)
  row.append(input, button)
  if (focused) input.focus()
  const turn = (visible) => {
    input.type = visible ? 'text' : 'password'
    button.textContent = visible ? hide : show
  }
  button.addEventListener('click', () => turn(input.type === 'password'))
  // What the browser keeps of a form is a password's only while the field is one.
  input.form?.addEventListener('submit', () => turn(false))
}

for (const tools of document.querySelectorAll('[data-code-tools]')) {
  const list = document.querySelector('[data-codes]')
  const text = () => [...list.querySelectorAll('code')].map(({ textContent }) => `${textContent}\n`).join('')
  const [copy, download, print] = ['copy', 'download', 'print'].map((name) =>
    tools.querySelector(`[data-${name}]`),
  )
  copy.hidden = !navigator.clipboard
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text())
    tools.querySelector('[role=status]').textContent = copy.dataset.done
  })
  download.addEventListener('click', () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }))
    link.download = list.dataset.codes
    link.click()
    URL.revokeObjectURL(link.href)
  })
  print.addEventListener('click', () => window.print())
  tools.hidden = false
}
