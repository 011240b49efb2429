import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OTHER_GAME_PLATFORMS, OTHER_SUBJECTS } from '../../importers/bangumi/archive-codes.ts'
import { RECORD_KINDS } from '../../importers/record-kinds.ts'
import { CATALOGUES } from '../../pages/messages/catalogues.ts'
import { explainRemark } from './explain-remark.ts'

const IMPORTERS = fileURLToPath(new URL('../../importers', import.meta.url))

/** The literals that a pattern finds in what reads and writes. */
async function literals(pattern: RegExp): Promise<string[]> {
  const found = new Set<string>()
  for await (const file of glob('**/*.ts', { cwd: IMPORTERS }))
    if (!file.endsWith('.test.ts'))
      for (const [, , text = ''] of (await readFile(`${IMPORTERS}/${file}`, 'utf8')).matchAll(pattern))
        found.add(text.replaceAll(/\$\{kind\}|\$\{record\.kind\}/g, 'light_novel_volume'))
  return [...found]
}

describe('what an import remarks', () => {
  for (const language of ['ja', 'zh-Hans'] as const) {
    const explained = (text: string) => explainRemark({ language, messages: CATALOGUES[language] }, text)
    it(`has words in ${language}, whatever it is`, async () => {
      const [remarks, reasons, passed] = await Promise.all([
        literals(/report\.note\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g),
        literals(/(?:UnusableRow\(|&& |: )(['`])(it (?:is|has) (?:not|no|more)[^'`]*)\1/g),
        literals(/\bthen (')((?:book|volume) [^']+)'/g),
      ])
      assert.ok(remarks.length >= 24, remarks.join('\n'))
      assert.ok(reasons.length >= 3, reasons.join('\n'))
      assert.equal(passed.length, 2)
      const filled = [
        ...remarks.map((text) =>
          text
            .replace('${state}', 'is missing')
            .replace(/passed over: \$\{.*$/, 'passed over: other edition of a volume')
            .replaceAll(/\$\{[^}]*\}/g, 'x'),
        ),
        'the table x is empty: no data for x',
        'other remarks',
        ...[...OTHER_SUBJECTS.values(), ...OTHER_GAME_PLATFORMS.values(), ...passed].map(
          (what) => `passed over: ${what}`,
        ),
        'passed over: game that is no galgame',
        'passed over: type 9',
        ...['it is not UTF-8', ...reasons].map(
          (reason) => `a row that cannot be read is left out: ${reason.replaceAll(/\$\{[^}]*\}/g, 'x')}`,
        ),
        ...Object.keys(RECORD_KINDS).map((kind) => `${kind} without a name: left out`),
      ]
      const missing = filled.filter((text) => {
        const said = explained(text)
        const rest = said?.replaceAll(/UTF-8|ID|DLC|mokuroku (?:matches list|unmerge)/g, '') ?? ''
        return said === undefined || /\{\d\}|[A-Za-z_]{2,}/.test(rest)
      })
      assert.deepEqual(missing, [])
    })
  }

  it('is translated in runs of earlier versions', () => {
    const remarks = [
      'the table vn_staff is missing: nothing is said of the staff of every galgame',
      'the table book is empty: nothing is said of every volume',
      'an unknown relation is left out',
    ]
    for (const language of ['ja', 'zh-Hans'] as const)
      for (const remark of remarks)
        assert.ok(
          explainRemark({ language, messages: CATALOGUES[language] }, remark),
          `${language}: ${remark}`,
        )
  })

  it('is as it was kept in English, and where nobody has words for it', () => {
    const said = (language: 'en' | 'ja', text: string) =>
      explainRemark({ language, messages: CATALOGUES[language] }, text)
    assert.equal(said('en', 'a column is missing'), undefined)
    assert.equal(said('ja', 'what a new version remarks'), undefined)
    assert.equal(said('ja', 'light_novel without a name: left out'), '名前のないライトノベル：除外しました')
  })
})
