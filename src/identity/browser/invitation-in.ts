/** Returns the code of an invitation, which users may enter as the whole link. */
export const invitationIn = (text: string) =>
  /[?&]invitation=([A-Za-z0-9_-]+)/.exec(text)?.[1] ?? text.trim().slice(0, 100)
