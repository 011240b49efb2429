// Converts times to the browser's zone if the user has chosen no zone: `time[data-local]`.
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
