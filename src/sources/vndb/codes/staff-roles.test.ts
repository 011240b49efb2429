import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { STAFF_ROLES } from '../../../catalog/enums.ts'
import { staffRole } from './staff-roles.ts'

describe('staffRole', () => {
  for (const [credit, note, role] of [
    ['scenario', 'Nagisa route', 'SCENARIO'],
    ['director', '', 'DIRECTOR'],
    ['chardesign', 'Original character design', 'CHARACTER_DESIGN'],
    ['art', 'Background', 'GRAPHICS'],
    ['music', null, 'MUSIC'],
    ['translator', '', 'TRANSLATOR'],
    ['editor', '', 'EDITOR'],
    ['qa', '', 'QC'],
    ['songs', 'OP "Mag Mell"', 'THEME_PERFORMANCE'],
    ['songs', 'Insert song "Aozora"', 'INSERT_PERFORMANCE'],
    ['songs', 'Lyrics, OP', 'THEME_LYRICS'],
    ['songs', 'ED composition', 'THEME_COMPOSITION'],
    ['songs', 'OP "Original Plan"', 'THEME_PERFORMANCE'],
    ['staff', 'Producer', 'PRODUCER'],
    ['staff', 'Executive producer', 'EXECUTIVE_PRODUCER'],
    ['staff', 'Planning', 'PLANNING'],
    ['staff', 'Scripting', 'PROGRAM'],
    ['staff', 'Description text', null],
    ['staff', 'Background art', 'BACKGROUND'],
    ['staff', 'SD CGs', 'SD_ART'],
    ['staff', 'Scenario supervision', 'SUPERVISOR'],
    ['staff', 'Sound director', 'SOUND_DIRECTOR'],
    ['staff', 'Mecha design', 'MECHANICAL_DESIGN'],
    ['staff', 'Original story', 'ORIGINAL_WORK'],
    ['staff', 'Opening movie', 'ANIMATION_PRODUCTION'],
    ['staff', 'Jacket illustration', 'COVER_ART'],
    ['staff', 'Special thanks', 'COOPERATION'],
    ['staff', '', null],
    ['juggler', 'Planning', null],
  ] as const) {
    it(`maps ${credit} with the note “${note}” to ${role}`, () => {
      assert.equal(staffRole(credit, note), role)
      assert.ok(role === null || STAFF_ROLES.includes(role))
    })
  }
})
