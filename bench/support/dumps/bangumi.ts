import { Draw } from './draw.ts'
import { DumpFiles } from './table-file.ts'

/** Numbers per hundred works, volumes of one series, and rows per work, about as in the Archive of 2026. */
const MANGAS = 55
const NOVELS = 30
const VOLUMES = 2
const PER_WORK = { people: 0.35, characters: 0.5, credits: 3, appearances: 1.2 }

type Dump = {
  files: DumpFiles
  draw: Draw
  works: number
  people: number
  characters: number
  subjects: number
}

/**
 * Writes a generated Bangumi Archive dump (`*.jsonlines`) with the given number of works, and their volumes.
 *
 * @returns number of rows, keyed by file
 */
export async function writeBangumiDump(
  folder: string,
  { works, seed = 1 }: { works: number; seed?: number },
): Promise<Record<string, number>> {
  const files = new DumpFiles(folder, '.jsonlines')
  const dump: Dump = {
    files,
    draw: new Draw(seed),
    works,
    people: Math.max(1, Math.round(works * PER_WORK.people)),
    characters: Math.max(1, Math.round(works * PER_WORK.characters)),
    subjects: 0,
  }
  await files.writeEach(
    [dump.people, (id) => writePerson(dump, id)],
    [dump.characters, (id) => writeCharacter(dump, id)],
    [works, (id) => writeWork(dump, id)],
  )
  return files.end()
}

const writeLine = ({ files }: Dump, file: string, row: object) =>
  files.of(file).line(JSON.stringify(row))

const infoboxOf = (kind: string, fields: Record<string, string>) =>
  `{{Infobox ${kind}\r\n${Object.entries(fields)
    .map(([key, value]) => `|${key}= ${value}\r\n`)
    .join('')}}}`

function writePerson(dump: Dump, id: number) {
  const { draw } = dump
  const infobox = infoboxOf('Crt', {
    简体中文名: draw.name('chinese', 8),
    性别: draw.pick(['男', '女']),
  })
  const type = draw.pick([1, 1, 1, 1, 2, 3])
  const summary = draw.chance(0.2) ? draw.words(20) : ''
  writeLine(dump, 'person', {
    id,
    name: draw.name('japanese', 10),
    type,
    career: ['writer'],
    infobox,
    summary,
  })
}

function writeCharacter(dump: Dump, id: number) {
  const { draw } = dump
  const infobox = infoboxOf('Crt', {
    简体中文名: draw.name('chinese', 8),
    身高: `${140 + draw.below(50)}cm`,
  })
  writeLine(dump, 'character', {
    id,
    role: 1,
    name: draw.name('japanese', 10),
    infobox,
    summary: draw.words(30),
  })
}

function writeWork(dump: Dump, number: number) {
  const { draw } = dump
  const offset = (number * 37) % 100
  const isGame = offset >= MANGAS + NOVELS
  const platform = isGame ? 4001 : offset < MANGAS ? 1001 : 1002
  const title = draw.name('japanese', 24)
  const isSeries = !isGame && draw.chance(0.5)
  const work = writeSubject(dump, { type: isGame ? 4 : 1, platform, title, series: isSeries })
  const shared = { subject_id: work }
  for (let count = draw.about(PER_WORK.credits); count > 0; count -= 1) {
    const position = isGame ? draw.pick([1001, 1002, 1003]) : draw.pick([2001, 2002, 2003, 2004])
    writeLine(dump, 'subject-persons', {
      person_id: 1 + draw.below(dump.people),
      ...shared,
      position,
      appear_eps: '',
    })
  }
  for (let order = draw.about(PER_WORK.appearances); order > 0; order -= 1) {
    const character_id = 1 + draw.below(dump.characters)
    writeLine(dump, 'subject-characters', {
      character_id,
      ...shared,
      type: draw.pick([1, 2, 3]),
      order,
    })
    const person_id = 1 + draw.below(dump.people)
    if (isGame)
      writeLine(dump, 'person-characters', {
        person_id,
        ...shared,
        character_id,
        type: 0,
        summary: '',
      })
  }
  if (isSeries)
    for (let volume = 1, last = draw.about(2 * VOLUMES); volume <= last; volume += 1) {
      const related = writeSubject(dump, {
        type: 1,
        platform,
        title: `${title} (${volume})`,
        series: false,
      })
      writeLine(dump, 'subject-relations', {
        ...shared,
        relation_type: 1003,
        related_subject_id: related,
        order: volume,
      })
    }
}

type Subject = { type: number; platform: number; title: string; series: boolean }

function writeSubject(dump: Dump, { type, platform, title, series }: Subject): number {
  const { draw } = dump
  dump.subjects += 1
  const day = String(draw.day())
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`
  const infobox = infoboxOf(type === 4 ? 'Game' : 'animanga/Manga', {
    中文名: draw.name('chinese', 16),
    [type === 4 ? '开发' : '出版社']: draw.name('japanese', 8),
    发售日: date,
    [type === 4 ? '游戏类型' : '价格']: type === 4 ? 'ADV' : `${400 + draw.below(400)}円`,
  })
  writeLine(dump, 'subject', {
    id: dump.subjects,
    type,
    name: title,
    name_cn: draw.name('chinese', 16),
    infobox,
    platform,
    summary: draw.words(40),
    nsfw: draw.chance(0.05),
    tags: [{ name: draw.pick(['漫画', '小说', 'galgame', '恋爱', '校园']), count: draw.below(50) }],
    meta_tags: type === 4 ? ['galgame'] : [],
    date,
    series,
  })
  return dump.subjects
}
