import type { Preferences } from '../../../accounts/preferences/queries.ts'
import { html, type Html } from '../../../ui/html.ts'
import { LANGUAGE_FACTS, LANGUAGES } from '../../../i18n/languages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { listTimeZones, timeElement } from '../../../ui/format-time.ts'
import { TITLE_PREFERENCES } from '../../../ui/title-preference.ts'
import { actions, type AccountView } from './frame.ts'

export type PreferenceFaults = Partial<
  Record<'language' | 'titles' | 'time_zone' | 'of_age', string>
>

export type PreferencesData = {
  preferences: Preferences
  faults?: PreferenceFaults
  /** Hidden fields with the values that the form showed when it was loaded. */
  loaded: Html
  conflict?: Html
}

/**
 * The form submits `language` and `time_zone`, which may be empty, `titles`, and `spoilers`, `nsfw` and `of_age` with the value
 * `yes` if they are checked.
 */
export function preferencesView(
  page: PageContext,
  { preferences, faults = {}, loaded, conflict }: PreferencesData,
): AccountView {
  const { messages, csrfField } = page
  const { preferences: texts } = messages
  const { shows_nsfw, of_age_stated_at, shows_spoilers } = preferences
  const marked = (name: keyof PreferenceFaults) =>
    faults[name] !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`
  const fault = (name: keyof PreferenceFaults) =>
    faults[name] !== undefined &&
    html`<p class="fault" id="${name}-error" role="alert">${faults[name]}</p>`
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.lead}</p>
${conflict}
<form method="post" action="/account/preferences">
${csrfField()}${loaded}
<div class="field"><label for="language">${texts.language}</label>
<select id="language" name="language"${marked('language')}>${option('', texts.asBrowser, preferences.language ?? '')}${LANGUAGES.map(
      (language) =>
        html`<option value="${language}" lang="${language}"${language === preferences.language && html` selected`}>${LANGUAGE_FACTS[language].name}</option>`,
    )}</select>${fault('language')}</div>
<div class="field"><label for="titles">${messages.layout.titles}</label>
<select id="titles" name="titles"${marked('titles')}>${TITLE_PREFERENCES.map((name) =>
      option(name, messages.layout.titleChoices[name], preferences.title_preference),
    )}</select>${fault('titles')}</div>
<div class="field"><label for="time_zone">${texts.timeZone}</label>
<select id="time_zone" name="time_zone"${marked('time_zone')}>${option('', texts.asBrowser, preferences.time_zone ?? '')}${listTimeZones().map(
      (zone) => option(zone, zone.replaceAll('_', ' '), preferences.time_zone ?? ''),
    )}</select>${fault('time_zone')}</div>
<fieldset><legend>${texts.spoilersTitle}</legend>
<label class="check"><input type="checkbox" name="spoilers" value="yes"${shows_spoilers && html` checked`}>${texts.spoilers}</label></fieldset>
<fieldset><legend>${texts.adults}</legend>
<label class="check"><input type="checkbox" name="nsfw" value="yes"${shows_nsfw && html` checked`}>${texts.nsfw}</label>
<label class="check"><input type="checkbox" name="of_age" value="yes"${of_age_stated_at !== null && html` checked`}${marked('of_age')}>${texts.statement}</label>
${fault('of_age')}
<p class="hint">${texts.statementWhy}</p>
${of_age_stated_at !== null && html`<p class="hint">${texts.saidOn} ${timeElement(page, of_age_stated_at)}</p>`}</fieldset>
${actions(messages, texts.submit, '/account')}
</form>`,
  }
}

const option = (value: string, text: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`
