import { latinName } from '../../../i18n/latin-name.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { pageUrlOf } from '../../../sources/external-ids.ts'
import { SOURCES } from '../../../sources/registry.ts'
import { mayBeHiddenNotice } from '../../adult-works/hidden-works.ts'
import { isBlurred } from '../../adult-works/visibility.ts'
import { chips } from '../../components/chips.ts'
import { entryPath } from '../../components/entry-path.ts'
import { pager } from '../../components/pager.ts'
import { pathWith } from '../../components/path-with.ts'
import { otherTitles, shownNames, shownTitles, type ShownTitle } from '../../components/titles.ts'
import { picturePathOf, versionOf } from '../../pictures/picture-path.ts'
import { hasPictures, isGraded, picture } from '../../pictures/picture.ts'
import { nameLink } from '../cast-view.ts'
import type { SubjectData, WorkOf } from '../entry-data.ts'
import { entryHead } from '../entry-head.ts'
import { roleName } from '../labels.ts'
import { factChips, factsView, langOf } from '../facts-view.ts'
import { subjectJsonLd } from '../json-ld.ts'
import { subjectFacts, subjectLinks } from './subject-facts.ts'
import { partSection } from '../section.ts'
import { textsOf } from '../works/shown-work.ts'
import { textView } from '../works/work-view.ts'

type SubjectKind = 'person' | 'producer' | 'character'

export type SubjectPage = {
  kind: SubjectKind
  data: SubjectData
  /** Roles in the works, as sources name them, most frequent first. */
  roles: readonly (string | null)[]
  /** Role that the works are filtered by. */
  role: string | undefined
  /** Works on this page, newest first. */
  works: WorkOf[]
  total: number
  /** Whether the page leaves out adult works. A number would tell who worked on them. */
  hidesAdultWorks: boolean
  page: number
  last: number
}

/** Renders a person, producer or character, with one row per work. */
export function subjectView(context: PageContext, subject: SubjectPage): View {
  const { kind, data, works, total, hidesAdultWorks, page, last, role } = subject
  const { messages, language } = context
  const { entry: texts } = messages
  const latin = latinName(data.name, data.aliases) ?? null
  const [main, other] = shownNames(context, {
    ...data,
    en_title: data.en_name ?? null,
    romaji_title: latin,
  })
  const titles: [ShownTitle, ...ShownTitle[]] = [main, ...(other ? [other] : [])]
  const aliases = otherTitles(titles, [data.name, data.en_name, data.trans_name, ...data.aliases])
  const media = data.image ?? data.logo
  const path = entryPath(kind, data.id)
  const intros = textsOf(language, [
    [data.intro, undefined],
    [data.trans_intro, 'zh-Hans'],
    [data.en_intro, 'en'],
  ])
  const links = [...externalLinks(kind, data), ...subjectLinks(data)]
  const body = html`<article class="work of-subject">${entryHead(context, { kind, id: data.id, titles, media, shape: kind === 'producer' ? 'logo' : 'portrait', facts: [messages.kinds[kind], total > 0 && texts.itemCount({ amount: total })] })}
${factsView(context, { facts: subjectFacts(context, data), aliases, links })}
${intros.length > 0 && html`<div class="entry-text">${textView(context, { texts: intros })}</div>`}
<div class="entry-parts">${partSection(texts.works, works.length > 0 ? worksView(context, subject) : html`<p class="quiet">${texts.noWorks}</p>`)}${hidesAdultWorks && mayBeHiddenNotice(context)}${pager(context, { page, last, pathOf: (number) => worksPath(path, role, number) })}</div></article>`
  const image =
    media &&
    hasPictures(context) &&
    picturePathOf({
      kind,
      id: data.id,
      index: 0,
      width: 320,
      format: 'jpg',
      blurred: isGraded(media),
      version: versionOf(media.url),
    })
  const description = intros[0]?.text
  return {
    title: main.text,
    body,
    head: {
      description:
        description ??
        texts.descriptionOf({
          kind: messages.kinds[kind],
          title: titles.map(({ text }) => text).join(' / '),
        }),
      canonical: path,
      openGraph: { type: kind === 'producer' ? 'website' : 'profile', image: image || undefined },
      jsonLd: subjectJsonLd(kind, data, {
        url: context.origin + path,
        image: image ? context.origin + image : undefined,
        description,
      }),
    },
  }
}

const worksPath = (path: string, role: string | undefined, page = 1) =>
  pathWith(path, new URLSearchParams(), {
    role: role ?? null,
    page: page === 1 ? null : String(page),
  })

/** Renders links that filter the works by role, and the works, newest first. */
function worksView(context: PageContext, { kind, data, works, roles, role }: SubjectPage): Html {
  const { messages } = context
  const path = entryPath(kind, data.id)
  const named = roles.filter((name) => name !== null && name !== '')
  const links = named.map((name) => ({
    href: worksPath(path, name ?? undefined),
    text: roleName(messages, name),
    isCurrent: name === role,
  }))
  return html`${
    (links.length > 1 || role !== undefined) &&
    chips(messages.entry.roleFilter, [
      { href: path, text: messages.entry.allRoles, isCurrent: role === undefined },
      ...links,
    ])
  }<ol class="works rows">${works.map((item, index) => workLine(context, item, yearOf(item) !== yearOf(works[index - 1])))}</ol>`
}

/** Only the first work of each year shows the year. */
const yearOf = (item: WorkOf | undefined) =>
  item ? (item.work.release_date?.slice(0, 4) ?? '') : undefined

function workLine(context: PageContext, item: WorkOf, isFirstOfYear: boolean): Html {
  const { messages } = context
  const { work, roles } = item
  const [title, other] = shownTitles(context, work)
  const cover = picture(context, {
    media: work.cover,
    blurred: isBlurred(context, work),
    kind: work.type,
    id: work.id,
    title: title.text,
    lang: title.lang,
    shape: 'cover',
    sizes: '3.5rem',
    graded: 'guest',
    decorative: true,
  })
  const names = new Set(roles.map(({ role }) => roleName(messages, role)))
  const details = roles.flatMap(({ character, actors = [], credited_as: credited, note }) => [
    character && nameLink(context, 'character', character),
    actors.length > 0 &&
      html`${messages.entry.voicedBy} ${actors.map((actor, index) => html`${index > 0 && ' · '}${nameLink(context, 'person', actor)}`)}`,
    credited,
    note,
  ])
  const known = details.filter(Boolean)
  return html`<li><span class="year number${!isFirstOfYear && ' again'}">${yearOf(item) || messages.entry.unknownDate}</span>${cover}<div><p class="cast-name"><a href="${entryPath(work.type, work.id)}"${langOf(title.lang)}>${title.text}</a></p><p class="quiet">${messages.kinds[work.type]}${other && html` · <span${langOf(other.lang)}>${other.text}</span>`}${work.nsfw && html` <span class="adult" title="${messages.browse.adults}">${messages.browse.adultsMark}</span>`}</p>${factChips([...names].map((text) => ({ text })))}${known.length > 0 && html`<p class="voice">${known.map((detail, index) => html`${index > 0 && ' · '}${detail}`)}</p>`}</div></li>`
}

function externalLinks(kind: SubjectKind, { vndb_id: vndb, bangumi_id: bangumi }: SubjectData) {
  const ids = [
    ['vndb', vndb],
    ['bangumi', bangumi],
  ] as const
  return ids.flatMap(([source, id]) =>
    id === null ? [] : [{ label: SOURCES[source].label, url: pageUrlOf(source, kind, id) }],
  )
}
