/** Builders for rows in the format of the Bangumi Archive. */

export const NOVEL = {
  type: 1,
  platform: 1002,
  name_cn: '',
  infobox: '',
  summary: '',
  nsfw: false,
  tags: [],
  meta_tags: [],
}
export const MANGA_ROW = { ...NOVEL, platform: 1001 }
export const GAME = { ...NOVEL, type: 4, platform: 4001, meta_tags: ['galgame'] }

/** Returns an infobox with an author and any further lines. */
export function by(author: string, more = ''): string {
  return `{{Infobox animanga/Manga\n|作者= ${author}\n${more}}}`
}

/** Returns an infobox with a release date. */
export function release(date: string): string {
  return `{{Infobox Game\n|发行日期= ${date}\n}}`
}

/** Returns a row of subject-relations. */
export function relation(
  subject_id: number,
  relation_type: number,
  related_subject_id: number,
): object {
  return { subject_id, relation_type, related_subject_id, order: 0 }
}

/** Returns a row of subject-persons. */
export function credit(
  subject_id: number,
  person_id: number,
  position: number,
  appear_eps = '',
): object {
  return { subject_id, person_id, position, appear_eps }
}
