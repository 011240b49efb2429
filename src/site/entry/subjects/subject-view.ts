import { latinName } from '../../../i18n/latin-name.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { pageUrlOf } from '../../../sources/external-ids.ts'
import { SOURCES } from '../../../sources/registry.ts'
import { hiddenWorksNotice } from '../../adult-works/hidden-works.ts'
import { isVeiled } from '../../adult-works/visibility.ts'
import { entryPath } from '../../components/entry-path.ts'
import { pager } from '../../components/pager.ts'
import { otherTitles, shownNames, shownTitles, type ShownTitle } from '../../components/titles.ts'
import { picturePathOf, versionOf } from '../../pictures/picture-path.ts'
import { hasPictures, isGraded, picture } from '../../pictures/picture.ts'
import { nameLink } from '../cast-view.ts'
import type { SubjectData, WorkOf } from '../entry-data.ts'
import { entryHead, reportPicture } from '../entry-head.ts'
import { roleName } from '../labels.ts'
import { factsView, langOf } from '../facts-view.ts'
import { subjectJsonLd } from '../json-ld.ts'
import { subjectFacts } from './subject-facts.ts'
import { partSection } from '../section.ts'
import { textsOf } from '../works/shown-work.ts'
import { textView } from '../works/work-view.ts'

type SubjectKind = 'person' | 'producer' | 'character'

export type SubjectPage = {
  kind: SubjectKind
  data: SubjectData
  /** Works on this page, newest first. */
  works: WorkOf[]
  total: number
  /** Number of adult works that the page leaves out. */
  hidden: number
  page: number
  last: number
}

/** Renders a person, producer or character, with their works by role and year. */
export function subjectView(
  context: PageContext,
  { kind, data, works, total, hidden, page, last }: SubjectPage,
): View {
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
  const links = externalLinks(kind, data)
  const body = html`<article class="work of-subject">${entryHead(context, { kind, id: data.id, titles, media, shape: kind === 'producer' ? 'logo' : 'portrait', facts: [messages.kinds[kind], total > 0 && texts.itemCount({ amount: total })] })}
${factsView(context, { facts: subjectFacts(context, data), aliases, links })}
<div class="entry-text">${textView(context, { texts: intros })}</div>
<div class="entry-parts">${works.length > 0 ? worksView(context, works) : hidden === 0 && partSection(texts.works, html`<p class="quiet">${texts.noWorks}</p>`)}${hiddenWorksNotice(context, hidden)}${pager(context, { page, last, pathOf: (number) => `${path}?page=${number}` })}${reportPicture(context, { kind, id: data.id, media })}</div></article>`
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

/** Renders the works by role, newest first. Only the first work of each year shows the year. */
function worksView(context: PageContext, works: WorkOf[]): Html {
  const parts = works.flatMap((item) =>
    [...Map.groupBy(item.roles, ({ role }) => roleName(context.messages, role))].map(
      ([role, roles]) => ({ role, work: item.work, roles }),
    ),
  )
  const byRole = [...Map.groupBy(parts, ({ role }) => role)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  )
  return html`${byRole.map(([role, done]) => partSection(role, html`<ol class="works rows">${done.map((item, index) => workLine(context, item, yearOf(item) !== yearOf(done[index - 1])))}</ol>`))}`
}

type WorkInRole = { work: WorkOf['work']; roles: WorkOf['roles'] }

const yearOf = (item: WorkInRole | undefined) =>
  item ? (item.work.release_date?.slice(0, 4) ?? '') : undefined

function workLine(context: PageContext, { work, roles }: WorkInRole, isFirstOfYear: boolean): Html {
  const { messages } = context
  const [title, other] = shownTitles(context, work)
  const cover = picture(context, {
    media: work.cover,
    veiled: isVeiled(context, work),
    kind: work.type,
    id: work.id,
    title: title.text,
    lang: title.lang,
    shape: 'cover',
    sizes: '3.5rem',
    graded: 'guest',
    decorative: true,
  })
  const details = roles.flatMap(({ character, actors = [], credited_as: credited, note }) => [
    character && nameLink(context, 'character', character),
    actors.length > 0 &&
      html`${messages.entry.voicedBy} ${actors.map((actor, index) => html`${index > 0 && ' · '}${nameLink(context, 'person', actor)}`)}`,
    credited,
    note,
  ])
  const known = details.filter(Boolean)
  const year = yearOf({ work, roles })
  return html`<li><span class="year number${!isFirstOfYear && ' again'}">${year || messages.entry.unknownDate}</span>${cover}<div><p class="cast-name"><a href="${entryPath(work.type, work.id)}"${langOf(title.lang)}>${title.text}</a></p><p class="quiet">${messages.kinds[work.type]}${other && html` · <span${langOf(other.lang)}>${other.text}</span>`}${work.nsfw && html` <span class="adult" title="${messages.browse.adults}">${messages.browse.adultsMark}</span>`}</p>${known.length > 0 && html`<p class="voice">${known.map((detail, index) => html`${index > 0 && ' · '}${detail}`)}</p>`}</div></li>`
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
