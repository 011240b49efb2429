import type { DumpFormat } from '../dump/layouts.ts'

/** Bangumi Archive (github.com/bangumi/Archive): JSON lines, published as a zip. Episodes and relations among people are not read. */
export const BANGUMI = {
  title: 'Bangumi Archive',
  source: 'bangumi',
  published: 'the .zip of a release of github.com/bangumi/Archive',
  layout: { suffix: '.jsonlines', header: 'none' },
  tables: {
    required: {
      subject: 'every work and volume',
      person: 'the names of people and producers',
      character: 'every character',
      'subject-relations': 'which volumes are of which series, and the relations of galgames',
      'subject-persons': 'the staff, people and producers of every work',
      'subject-characters': 'the cast of every work',
      'person-characters': 'who voices whom',
    },
    // A file of JSON lines has no header: the keys of its rows are checked as they are read.
    columns: {},
    optional: { _images: 'pictures, which the Archive does not publish' },
  },
} satisfies DumpFormat
