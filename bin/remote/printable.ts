/** What another program sent, without what a terminal would take for commands, or which would turn text around. */
export const printable = (text: string) =>
  text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, ' ').trim()
