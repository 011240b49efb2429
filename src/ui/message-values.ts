// Generated from the English messages by npm run messages.
import type { Html } from './html.ts'

type Tag = (inner: Html) => Html

/** Values of the messages that are text. */
export type TextValues = {
  'account.greeting': { name: string | number }
  'accountOverview.signedInAs': { email: string | number }
  'accountOverview.passkeys': { amount: number }
  'accountOverview.sessionCount': { amount: number }
  'accountOverview.appCount': { amount: number }
  'accountWelcome.title': { name: string | number }
  'accountEmail.tooMany': { minutes: number }
  'accountSessions.browserOn': { browser: string | number; system: string | number }
  'accountSessions.endLabel': { device: string | number; since: string | number }
  'accountSessions.distrustLabel': { device: string | number; since: string | number }
  'accountApps.withdrawLabel': { app: string | number }
  'accountTokens.days': { days: number }
  'accountTokens.revokeLabel': { name: string | number }
  'accountTokens.full': { limit: string | number }
  'accountSecurity.codesLeft': { left: number }
  'accountPasskeys.changeLabel': { name: string | number }
  'accountProviders.connectLabel': { provider: string | number }
  'accountProviders.disconnectLabel': { provider: string | number }
  'accountProviders.connectTitle': { provider: string | number }
  'accountProviders.connectText': { provider: string | number }
  'accountProviders.disconnectTitle': { provider: string | number }
  'accountProviders.disconnectText': { provider: string | number }
  'accountProviders.confirmText': { email: string | number; provider: string | number }
  'accountDeletion.done': { day: string | number }
  'browse.description': { heading: string | number }
  'browse.since': { year: string | number }
  'browse.until': { year: string | number }
  'browse.except': { tag: string | number }
  'browse.count': { amount: number }
  'browse.countOfMany': { amount: number }
  'browse.score': { score: string | number }
  'browse.remove': { filter: string | number }
  'browse.page': { number: string | number }
  'hiddenWorks.count': { amount: number }
  'searchPage.titleOf': { query: string | number }
  'searchPage.empty': { query: string | number }
  'tagPages.works': { amount: number }
  'tagPages.worksOrMore': { amount: number }
  'tagPages.worksOf': { tag: string | number }
  'calendar.next': { when: string | number }
  'calendar.previous': { when: string | number }
  'calendar.undated': { month: string | number }
  'calendar.more': { amount: number }
  'following.tooMany': { max: number }
  'notificationPage.volume': { number: string | number }
  'notificationPage.votes': { amount: number }
  'console.step': { step: string | number; steps: string | number }
  'console.address': { index: string | number }
  'console.typeName': { name: string | number }
  'console.requestsOf': { count: number }
  'console.allValues': { count: string | number }
  'appFaults.tooManyApps': { most: string | number }
  'reports.tooMany': { minutes: string | number }
  'reports.hiddenNotice': { reason: string | number }
  'desk.announcement.until': { time: string | number }
  'desk.announcement.long': { most: string | number }
  'desk.matches.noneSelected': { most: string | number }
  'desk.matches.evidence.days_apart': { days: number }
  'desk.matches.evidence.works': { works: number }
  'desk.matches.evidence.contradicted_by': { facts: string | number }
  'desk.accounts.disableApps': { apps: string | number }
  'desk.apps.documentFrom': { host: string | number }
  'desk.apps.denyHostHint': { host: string | number }
  'desk.health.orMore': { count: string | number }
  'desk.health.vacuumed': { time: string | number; tables: number }
  'desk.health.found': { errors: number; warnings: number }
  'desk.health.all': { count: string | number }
  'desk.health.examined': { time: string | number }
  'entry.reviewBy': { name: string | number }
  'entry.similarReasons.staff': { names: string | number }
  'entry.similarReasons.producer': { names: string | number }
  'entry.similarReasons.tags': { amount: number; names: string | number }
  'entry.coverOf': { title: string | number }
  'entry.pricesOf': { amount: number }
  'entry.allOf': { heading: string | number; amount: number }
  'entry.cm': { amount: string | number }
  'entry.kg': { amount: string | number }
  'entry.pageCount': { amount: string | number }
  'entry.scoreOf': { amount: number }
  'entry.votes': { amount: number }
  'entry.rank': { rank: number }
  'entry.spoilerTags': { amount: number }
  'entry.history.titleOf': { title: string | number }
  'entry.history.merged': { id: string | number }
  'entry.moreTags': { amount: number }
  'entry.majorSpoiler': { tag: string | number }
  'entry.helpful': { likes: string | number; dislikes: string | number }
  'entry.itemCount': { amount: number }
  'entry.volumeNumber': { number: string | number }
  'entry.descriptionOf': { kind: string | number; title: string | number }
  'error.received': { name: string | number }
  'error.forgedForm': { address: string | number }
  'tooManyAttempts.seconds': { seconds: number }
  'tooManyAttempts.minutes': { minutes: number }
  'reference.count': { count: string | number }
  'reference.form': { number: string | number }
  'importPage.stepOf': { step: string | number }
  'importPage.begun': { source: string | number }
  'importPage.faults.otherSource': { source: string | number }
  'importPage.faults.unreadable': { source: string | number }
  'importPage.searchFor': { title: string | number }
  'importPage.withoutTitle': { row: string | number }
  'importPage.import': { amount: number }
  'importPage.undone': { amount: number }
  'importPage.undoneKept': { amount: number }
  'library.saveOf': { title: string | number }
  'library.editOf': { title: string | number }
  'library.select': { title: string | number }
  'library.chosen': { amount: string | number }
  'library.hoursOf': { hours: string | number }
  'library.hoursAndMinutes': { hours: string | number; minutes: string | number }
  'library.minutesOf': { minutes: string | number }
  'library.decadeOf': { year: string | number }
  'library.yearTitle': { year: string | number }
  'library.daysOf': { days: number }
  'library.by': { app: string | number }
  'library.progress.total': { total: string | number }
  'library.progress.volumes': { read: number }
  'library.progress.volumesOf': { read: string | number; total: string | number }
  'library.progress.chapters': { read: number }
  'library.progress.faults.number': { max: string | number }
  'library.saved': { title: string | number }
  'library.removed': { title: string | number }
  'library.several': { amount: number }
  'library.formTitle': { title: string | number }
  'library.faults.gone': { title: string | number }
  'moderationMails.content_hidden.subject': { what: string | number }
  'moderationMails.content_hidden.text': { what: string | number }
  'moderationMails.content_restored.subject': { what: string | number }
  'moderationMails.content_restored.text': { what: string | number }
  'moderationMails.appeal_rejected.subject': { what: string | number }
  'moderationMails.appeal_rejected.text': { what: string | number }
  'moderationMails.tokens_revoked.text': { what: string | number }
  'moderationMails.app_disabled.subject': { what: string | number }
  'moderationMails.app_disabled.text': { what: string | number }
  'moderationMails.app_enabled.subject': { what: string | number }
  'moderationMails.app_enabled.text': { what: string | number }
  'moderationMails.app_limited.subject': { what: string | number }
  'moderationMails.app_limited.text': { what: string | number }
  'moderationMails.endpoint_disabled.subject': { what: string | number }
  'moderationMails.endpoint_disabled.text': { what: string | number }
  'moderationMails.endpoint_enabled.subject': { what: string | number }
  'moderationMails.endpoint_enabled.text': { what: string | number }
  'moderation.objections.contact': { contact: string | number }
  'moderation.objections.amends': { contact: string | number }
  'profilePage.since': { month: string | number }
  'profilePage.titles.list': { name: string | number }
  'profilePage.titles.statistics': { name: string | number }
  'profilePage.titles.reviews': { name: string | number }
  'profilePage.titles.collections': { name: string | number }
  'profilePage.description': { name: string | number }
  'profilePage.favorite': { place: string | number }
  'collectionPage.works': { amount: number }
  'collectionPage.changed': { day: string | number }
  'collectionPage.deleteTitle': { name: string | number }
  'collectionPage.deleteLead': { amount: number }
  'collectionPage.deleted': { name: string | number }
  'collectionPage.removed': { title: string | number }
  'collectionPage.noteOf': { title: string | number }
  'collectionPage.positionOf': { title: string | number }
  'collectionPage.moveOf': { title: string | number }
  'collectionPage.up': { title: string | number }
  'collectionPage.down': { title: string | number }
  'collectionPage.drag': { title: string | number }
  'collectionPage.removeOf': { title: string | number }
  'collectionPage.menuOf': { title: string | number }
  'signIn.toContinueTo': { app: string | number }
  'signIn.continueWith': { provider: string | number }
  'signIn.backTo': { app: string | number }
  'upstream.unavailable': { provider: string | number }
  'upstream.rejected': { provider: string | number }
  'upstream.stale': { provider: string | number }
  'keepAccount.text': { name: string | number; day: string | number }
  'notMe.textPutBack': { email: string | number }
  'notMe.taken': { email: string | number }
  'notMe.done': { email: string | number }
  'chooseAccount.toContinueTo': { app: string | number }
  'consent.title': { app: string | number }
  'consent.asks': { app: string | number }
  'consent.unregistered': { host: string | number }
  'consent.offline': { day: string | number; days: string | number }
  'consent.developerSince': { day: string | number }
  'consent.readers': { amount: number }
  'consent.appSince': { day: string | number }
  'consent.needs': { app: string | number }
  'device.confirmText': { app: string | number }
  'signOut.asks': { app: string | number }
  'signUp.domains': { domains: string | number }
  'signUpWith.text': { provider: string | number }
  'signUpWith.emailHint': { provider: string | number; email: string | number }
  'signUpWith.connectText': { provider: string | number }
  'waitingAccount.text': { name: string | number }
  'waitingAccount.mail': { email: string | number }
  'waitingAccount.declined': { day: string | number }
  'mailSent.local': { folder: string | number }
  'mailSent.signUp': { email: string | number }
  'mailSent.reset': { email: string | number }
  'mailSent.tooMany': { minutes: number }
  'signUpConfirm.text': { email: string | number }
}

/** Values of the messages with tags. */
export type MarkupValues = {
  'desk.imports.updateFailed': { source: string | number; link: Tag }
  'legal.acceptance.both': { terms: Tag; privacy: Tag }
  'legal.acceptance.terms': { terms: Tag }
  'legal.acceptance.privacy': { privacy: Tag }
  'error.wait': { seconds: Tag }
  'importPage.undoLead': { time: Tag }
  'notMe.removed': { since: Tag }
  'notMe.kept': { since: Tag }
}
