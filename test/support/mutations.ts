import type { Members } from './archives.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Values that a cell should never contain but might. */
const VALUES = [
  '',
  '0',
  '-1',
  '\\N',
  '\\',
  '\\x0',
  '\\000',
  't',
  '99999999999999999999999',
  '1e400',
  '20209999',
  '99999999',
  'NaN',
  'null',
  '{}',
  '{{{',
  '[[]]',
  '"',
  '\u0000',
  '\\ud800',
  'v0',
  'v1e5',
  '../../etc/passwd',
  'javascript:alert(1)',
  'あ'.repeat(3_000),
  '\uD83D\uDE00',
]

/** Returns files damaged as by an accident. The same seed gives the same damage. */
export function mutateFiles(members: Members, random: SeededRandom): Members {
  const mutated: Members = { ...members }
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const name = random.pick(Object.keys(mutated))
    const text = Buffer.from(mutated[name] ?? '')
    if (random.chance(0.04)) Reflect.deleteProperty(mutated, name)
    else
      mutated[name] = random.chance(0.4)
        ? mutateBytes(text, random)
        : mutateText(text.toString(), random)
    if (Object.keys(mutated).length === 0) return members
  }
  return mutated
}

/** Returns bytes of which some are changed, missing or repeated. */
export function mutateBytes(bytes: Uint8Array, random: SeededRandom): Buffer {
  const at = random.below(bytes.length + 1)
  const length = 1 + random.below(random.chance(0.8) ? 8 : 5_000)
  const [before, cut, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ]
  const noise = Uint8Array.from({ length }, () => random.below(256))
  const middle = random.pick([
    [noise],
    [],
    [cut, cut],
    [cut, noise],
    [cut.map((byte) => byte ^ (1 << random.below(8)))],
  ])
  return Buffer.concat([before, ...middle, random.chance(0.05) ? Buffer.alloc(0) : after])
}

function mutateText(text: string, random: SeededRandom): string {
  const lines = text.split('\n')
  const at = random.below(lines.length)
  const line = lines[at] ?? ''
  switch (random.below(6)) {
    case 0:
      lines.splice(at, 1)
      break
    case 1:
      lines.splice(at, 0, line)
      break
    case 2:
      lines.splice(random.below(lines.length), 0, ...lines.splice(at, 1))
      break
    default:
      lines[at] = mutateValue(line, random)
  }
  return lines.join('\n')
}

/** Replaces a cell or a JSON value. */
function mutateValue(line: string, random: SeededRandom): string {
  const value = random.pick(VALUES)
  if (!line.startsWith('{')) {
    const cells = line.split('\t')
    cells[random.below(cells.length)] = value
    return cells.join('\t')
  }
  const places = [...line.matchAll(/:\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)/g)]
  const position = places.length > 0 ? random.pick(places) : undefined
  if (!position) return value
  const inserted = random.chance(0.5) ? JSON.stringify(value) : value
  return `${line.slice(0, position.index)}:${inserted}${line.slice(position.index + position[0].length)}`
}
