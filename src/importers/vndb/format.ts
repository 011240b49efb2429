import type { DumpFormat } from '../dump/layouts.ts'

/** VNDB's database dump: files of PostgreSQL's COPY in `db/`, published as a .tar.zst. */
export const VNDB = {
  title: 'VNDB',
  source: 'vndb',
  published: 'the .tar.zst of dl.vndb.org/dump',
  layout: { suffix: '', header: 'own file' },
  tables: {
    required: {
      vn: 'every galgame',
      vn_titles: 'the titles of every galgame, and so the galgames',
      vn_staff: 'the staff of every galgame',
      vn_seiyuu: 'who voices whom',
      vn_relations: 'the relations among galgames',
      chars: 'every character',
      chars_vns: 'the cast of every galgame',
      staff: 'every person',
      staff_alias: 'the names of people, and so the people',
      producers: 'every producer',
      releases: 'dates, platforms and producers of every galgame',
      releases_vn: 'dates, platforms and producers of every galgame',
      releases_titles: 'the languages of releases, and with them who localized what',
      releases_platforms: 'the platforms of every galgame',
      releases_producers: 'the producers of every galgame',
    },
    formerly: {
      chars_names: {
        table: 'chars',
        column: 'name',
        losing: 'the names of characters, and so the characters',
      },
    },
    // Engines and pages elsewhere came in 2024 and 2025; the bundled sample has no pictures and no times.
    optional: {
      chars_alias: 'other names of characters',
      engines: 'engines',
      extlinks: 'pages elsewhere',
      vn_extlinks: 'pages of galgames elsewhere',
      releases_extlinks: 'pages of releases elsewhere',
      staff_extlinks: 'pages of people elsewhere',
      producers_extlinks: 'pages of producers elsewhere',
      images: 'sizes and grades of pictures, which then count as the worst',
      releases_images: 'covers of packages',
      vn_image_votes: 'which covers readers prefer',
      vn_screenshots: 'screenshots',
      traits: 'traits of characters',
      chars_traits: 'traits of characters',
      tags: 'tags of galgames',
      tags_vn: 'tags of galgames',
      entry_meta: 'when entries were made and changed',
    },
  },
} satisfies DumpFormat
