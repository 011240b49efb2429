import type { Database } from '../../db/database.ts'
import { createTemporaryTable } from '../../db/temporary-table.ts'
import { integerOf, isKnown, isTrue } from '../dump/tables/copy-text.ts'
import { stageTable } from '../dump/tables/stage-table.ts'
import { BOOLEAN, BOOLEAN_OR_NULL, LANGUAGE, wordsOrNull } from '../dump/known-values.ts'
import type { DumpReading } from '../dump/dump-source.ts'
import * as codes from './codes/codes.ts'
import { KIND_OF_IMAGE, OTHER_IMAGE_TYPES } from './releases/covers.ts'
import { STAFF_CREDITS } from './codes/staff-roles.ts'
import { stageTags } from './codes/tags.ts'
import { stageTraits } from './codes/traits.ts'

/**
 * Stages the tables of a dump, each as `dump_TABLE`, and creates lookup tables for the readers:
 * - `dump_credits (aid, ref, credited_as)`: person of each staff alias; `credited_as` is null for the main name
 * - `dump_languages (id, lang)`: original language of the first galgame of each character
 * - `dump_complete (n, id)`: complete releases of each galgame, by position of the galgame
 */
export async function stageVndb(dump: DumpReading, trx: Database): Promise<void> {
  await stageEntries(dump, trx)
  await stageLists(dump, trx)
  await stageReleases(dump, trx)
  await stageTags(dump, trx)
  await stageTraits(dump, trx)
  await createCredits(trx)
  await createLanguages(trx)
  await createCompleteReleases(trx)
}

const GENDER = wordsOrNull('unknown', ...Object.keys(codes.GENDER_OF_CODE))

export const ENTRY_TABLES = {
  producers: {
    columns: ['id', 'type', 'lang', 'name', 'latin', 'alias', 'description'],
    // Removed in December 2024.
    older: ['website'],
    known: { type: new Set(Object.keys(codes.TYPE_OF_PRODUCER)) },
  },
  staff: {
    columns: ['id', 'gender', 'description'],
    // staff.main was called aid in earlier dumps.
    older: ['main', 'aid'],
    known: { gender: GENDER },
  },
  chars: {
    columns: [
      'id',
      'image',
      'bloodt',
      'cup_size',
      's_bust',
      's_waist',
      's_hip',
      'height',
      'weight',
      'age',
      'description',
    ],
    // `gender` had the meaning of today's `sex`. The birthday was stored in two columns until December 2024, and names
    // were columns until October 2025.
    older: ['sex', 'gender', 'birthday', 'b_month', 'b_day', 'name', 'original', 'latin', 'alias'],
    known: {
      bloodt: wordsOrNull('unknown', ...Object.keys(codes.BLOOD_TYPES)),
      sex: GENDER,
      gender: GENDER,
    },
  },
  vn: {
    columns: ['id', 'olang', 'c_votecount', 'c_rating', 'devstatus', 'alias', 'description'],
    older: ['c_image', 'image'],
    known: { olang: LANGUAGE, devstatus: new Set(Object.keys(codes.DEV_STATUS)) },
  },
} as const

export type EntryTable = keyof typeof ENTRY_TABLES

async function stageEntries(dump: DumpReading, trx: Database) {
  for (const [table, columns] of Object.entries(ENTRY_TABLES))
    await stageTable(dump, trx, table, { ...columns, id: /^[a-z]{1,2}[0-9]{1,9}$/ })
  await stageTable(dump, trx, 'entry_meta', {
    columns: ['id', 'created', 'lastmod'],
    // Releases, tags and traits also have timestamps, but they are not entries of the catalog.
    keep: ({ id }) => /^[vcps]/.test(id ?? ''),
    key: 'id',
  })
  await stageTable(dump, trx, 'extlinks', {
    columns: ['id', 'site', 'value'],
    keep: ({ id, site, value }) => isKnown(id) && isKnown(site) && isKnown(value),
    key: 'id',
  })
  await stageTable(dump, trx, 'images', {
    columns: ['id', 'width', 'height', 'c_votecount', 'c_sexual_avg', 'c_violence_avg'],
    key: 'id',
  })
}

async function stageLists(dump: DumpReading, trx: Database) {
  for (const table of ['producers_extlinks', 'staff_extlinks', 'vn_extlinks', 'releases_extlinks'])
    await stageTable(dump, trx, table, { columns: ['id', 'link'] })
  await stageTable(dump, trx, 'staff_alias', { columns: ['id', 'aid', 'name', 'latin'] })
  await stageTable(dump, trx, 'chars_names', {
    columns: ['id', 'lang', 'name', 'latin'],
    keep: ({ lang, name }) => isKnown(lang) && isKnown(name),
    known: { lang: LANGUAGE },
  })
  await stageTable(dump, trx, 'chars_alias', {
    columns: ['id', 'spoil', 'name', 'latin'],
    keep: ({ spoil }) => !integerOf(spoil),
  })
  await stageTable(dump, trx, 'chars_traits', {
    columns: ['id', 'tid', 'spoil', 'lie'],
    keep: ({ spoil, lie }) => !integerOf(spoil) && !isTrue(lie),
    known: { lie: BOOLEAN_OR_NULL },
  })
  await stageTable(dump, trx, 'chars_vns', {
    columns: ['id', 'vid', 'role', 'spoil'],
    known: { role: new Set(Object.keys(codes.CAST_ROLES)) },
  })
  await stageTable(dump, trx, 'vn_titles', {
    columns: ['id', 'lang', 'official', 'title', 'latin'],
    keep: ({ lang, title }) => isKnown(lang) && isKnown(title),
    known: { lang: LANGUAGE, official: BOOLEAN },
  })
  await stageTable(dump, trx, 'vn_staff', {
    columns: ['id', 'aid', 'role', 'note'],
    known: { role: STAFF_CREDITS },
  })
  await stageTable(dump, trx, 'vn_seiyuu', { columns: ['id', 'cid', 'aid'] })
  await stageTable(dump, trx, 'vn_relations', {
    columns: ['id', 'vid', 'relation'],
    known: { relation: new Set(Object.keys(codes.RELATIONS)) },
  })
  await stageTable(dump, trx, 'vn_image_votes', { columns: ['vid', 'img'] })
  await stageTable(dump, trx, 'vn_screenshots', { columns: ['id', 'scr'] })
}

async function stageReleases(dump: DumpReading, trx: Database) {
  await stageTable(dump, trx, 'releases', {
    columns: ['id', 'olang', 'released', 'minage', 'has_ero', 'patch', 'official', 'engine'],
    older: ['website'],
    key: 'id',
    known: { has_ero: BOOLEAN, patch: BOOLEAN, official: BOOLEAN },
  })
  await stageTable(dump, trx, 'releases_platforms', { columns: ['id', 'platform'] })
  await stageTable(dump, trx, 'releases_titles', {
    columns: ['id', 'lang'],
    known: { lang: LANGUAGE },
  })
  await stageTable(dump, trx, 'releases_producers', {
    columns: ['id', 'pid', 'developer', 'publisher'],
    known: { developer: BOOLEAN, publisher: BOOLEAN },
  })
  await stageTable(dump, trx, 'releases_images', {
    columns: ['id', 'img', 'vid', 'itype', 'lang'],
    known: { itype: new Set([...Object.keys(KIND_OF_IMAGE), ...OTHER_IMAGE_TYPES]) },
  })
  await stageTable(dump, trx, 'releases_vn', {
    columns: ['id', 'vid', 'rtype'],
    known: { rtype: new Set(['complete', 'partial', 'trial']) },
  })
  await stageTable(dump, trx, 'engines', {
    columns: ['id', 'name'],
    keep: ({ id, name }) => isKnown(id) && isKnown(name),
    key: 'id',
  })
}

async function createCredits(trx: Database) {
  await createTemporaryTable(trx, 'dump_credits')`
    select distinct on (alias.aid)
      alias.aid,
      alias.id as ref,
      case when main.aid is null then alias.name end as credited_as
    from dump_staff_alias alias
    left join (select distinct coalesce(main, aid, '') as aid from dump_staff) main on main.aid = alias.aid
    where alias.id <> '' and alias.aid <> ''
    order by alias.aid, alias.n desc`
}

async function createLanguages(trx: Database) {
  await createTemporaryTable(trx, 'dump_languages')`
    select distinct on (appearance.id) appearance.id, galgame.olang as lang
    from dump_chars_vns appearance
    join dump_vn galgame on galgame.id = appearance.vid
    where appearance.id <> '' and galgame.olang <> ''
    order by appearance.id, appearance.n, galgame.n desc`
}

async function createCompleteReleases(trx: Database) {
  await createTemporaryTable(trx, 'dump_complete')`
    select distinct galgame.n, held.id
    from dump_releases_vn held
    join dump_vn galgame on galgame.id = held.vid
    where held.rtype = 'complete'`
}
