import type { DumpSource } from '../dump/dump-source.ts'
import { readRanobedb } from './read-ranobedb.ts'

/**
 * RanobeDB's dump: a plain pg_dump compressed with gzip. Separate table files use the format of PostgreSQL 15's `\copy
 * series to 'series.tsv' with (format text, header)`.
 */
export const RANOBEDB = {
  source: 'ranobedb',
  publishedAs: 'the .dump.gz of dumps.ranobedb.org',
  forms: [
    "RanobeDB's .dump.gz, a plain pg_dump, or a folder with one TABLE.tsv",
    'a table, its column names on the first line',
  ],
  layout: { suffix: '.tsv', header: 'first line' },
  tables: {
    required: {
      series: 'every light novel',
      series_title: 'the titles of every light novel, and therefore the light novels',
      series_book: 'the volumes of every light novel',
      series_tag: 'the adult flag of every light novel',
      tag: 'the adult flag of every light novel',
      book: 'every volume',
      book_title: 'the titles of volumes',
      book_staff_alias: 'the people of every light novel',
      staff: 'every person',
      staff_alias: 'the names of people, and therefore the people',
      publisher: 'every publisher',
      release: 'the publishers of every light novel',
      release_book: 'the publishers of every light novel',
      release_publisher: 'the publishers of every light novel',
      image: 'the covers of light novels and volumes',
    },
    columns: {
      series_title: ['series_id', 'lang', 'title'],
      series_book: ['series_id', 'book_id'],
      series_tag: ['series_id', 'tag_id'],
      tag: ['id', 'name'],
      book_title: ['book_id', 'lang', 'title'],
      book_staff_alias: ['book_id', 'staff_alias_id', 'role_type'],
      staff_alias: ['id', 'staff_id', 'name'],
      publisher: ['id', 'name'],
      release: ['id', 'lang'],
      release_book: ['release_id', 'book_id'],
      release_publisher: ['release_id', 'publisher_id', 'publisher_type'],
      image: ['id', 'filename'],
    },
    optional: {},
  },
  samples: ['ranobedb'],
  mappingVersion: 4,
  read: readRanobedb,
  tablesOf: {
    light_novel: ['series', 'series_title'],
    'light_novel.volumes': ['series_book', 'book'],
    'light_novel.people': ['book_staff_alias', 'staff_alias'],
    'light_novel.producers': ['release', 'release_book', 'release_publisher'],
    'light_novel.tags': ['series_tag', 'tag'],
    light_novel_volume: ['series_book', 'book', 'book_title'],
    person: ['staff', 'staff_alias'],
    producer: ['publisher'],
  },
} satisfies DumpSource
