import type { Source } from '../record.ts'

/**
 * Dump tables that records are read from, by kind (`galgame`) and by list, for lists with their own tables
 * (`galgame.staff`).
 */
const TABLES: Partial<Record<Source, Readonly<Record<string, readonly string[]>>>> = {
  vndb: {
    galgame: ['vn', 'vn_titles'],
    'galgame.staff': ['vn_staff', 'staff_alias'],
    'galgame.characters': ['chars_vns'],
    'galgame.actors': ['vn_seiyuu', 'staff_alias'],
    'galgame.producers': ['releases_vn', 'releases', 'releases_producers'],
    'galgame.relations': ['vn_relations'],
    'galgame.platforms': ['releases_vn', 'releases', 'releases_platforms'],
    'galgame.release_date': ['releases_vn', 'releases'],
    'galgame.tags': ['tags_vn', 'tags'],
    'galgame.covers': ['vn', 'releases_images', 'vn_image_votes'],
    'galgame.images': ['vn_screenshots'],
    'galgame.external_links': ['vn_extlinks', 'releases_extlinks', 'extlinks'],
    character: ['chars', 'chars_names'],
    'character.labels': ['chars_traits', 'traits'],
    person: ['staff', 'staff_alias'],
    producer: ['producers'],
  },
  ranobedb: {
    light_novel: ['series', 'series_title'],
    'light_novel.volumes': ['series_book', 'book'],
    'light_novel.people': ['book_staff_alias', 'staff_alias'],
    'light_novel.producers': ['release', 'release_book', 'release_publisher'],
    'light_novel.tags': ['series_tag', 'tag'],
    light_novel_volume: ['series_book', 'book', 'book_title'],
    person: ['staff', 'staff_alias'],
    producer: ['publisher'],
  },
  bangumi: {
    galgame: ['subject'],
    'galgame.staff': ['subject-persons', 'subject'],
    'galgame.characters': ['subject-characters'],
    'galgame.actors': ['person-characters'],
    'galgame.producers': ['subject-persons', 'subject'],
    'galgame.relations': ['subject-relations'],
    light_novel: ['subject', 'subject-relations'],
    'light_novel.volumes': ['subject-relations', 'subject'],
    'light_novel.people': ['subject-persons', 'subject'],
    'light_novel.producers': ['subject-persons', 'subject'],
    'light_novel.characters': ['subject-characters'],
    light_novel_volume: ['subject', 'subject-relations'],
    manga: ['subject', 'subject-relations'],
    'manga.volumes': ['subject-relations', 'subject'],
    'manga.people': ['subject-persons', 'subject'],
    'manga.producers': ['subject-persons', 'subject'],
    'manga.characters': ['subject-characters'],
    manga_volume: ['subject', 'subject-relations'],
    character: ['character'],
    person: ['person', 'subject-persons'],
    producer: ['person', 'subject-persons'],
  },
}

/** Returns the tables to check when something shrinks. A field without its own tables uses those of its kind. */
export function tablesBehind(source: Source, what: string): readonly string[] {
  const tables = TABLES[source] ?? {}
  return tables[what] ?? tables[what.replace(/\..*/, '')] ?? []
}
