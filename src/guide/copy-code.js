// Adds a copy button to every code block. Without scripts, users select the code by hand.
if (navigator.clipboard) {
  /** @type {Record<string, string[]>} */
  const words = {
    en: ['Copy', 'Copied'],
    ja: ['コピー', 'コピーしました'],
    'zh-Hans': ['复制', '已复制'],
  }
  const [copy, copied] = words[document.documentElement.lang] ?? words.en
  for (const block of document.querySelectorAll('pre[data-copy]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = copy
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent)
      button.textContent = copied
      setTimeout(() => (button.textContent = copy), 2_000)
    })
    block.after(button)
  }
}
