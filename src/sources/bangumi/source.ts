import type { DumpSource } from '../dump/dump-source.ts'
import { addKnownPictures } from './pictures/add-known-pictures.ts'
import { readBangumi } from './read-bangumi.ts'

/**
 * Bangumi Archive (github.com/bangumi/Archive): JSON lines, published as a zip. Episodes and relations among people
 * are not read.
 */
export const BANGUMI = {
  source: 'bangumi',
  publishedAs: 'the .zip of a release of github.com/bangumi/Archive',
  forms: ['the .zip of Bangumi Archive, or a folder of its *.jsonlines'],
  layout: { suffix: '.jsonlines', header: 'none' },
  tables: {
    required: {
      subject: 'every work and volume',
      person: 'the names of people and producers',
      character: 'every character',
      'subject-relations': 'the volumes of every series, and the relations of galgames',
      'subject-persons': 'the staff, people and producers of every work',
      'subject-characters': 'the cast of every work',
      'person-characters': 'the voice actors of every character',
    },
    // JSON lines have no header. The keys of rows are checked while rows are read.
    columns: {},
    optional: { _images: 'pictures, which the Archive does not publish' },
  },
  samples: ['bangumi-archive', 'bangumi-rows', 'bangumi-known-works'],
  mappingVersion: 7,
  read: (dump, trx) => addKnownPictures(dump, trx, readBangumi(dump, trx)),
  tablesOf: {
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
} satisfies DumpSource
