import { toHalfWidth } from '../text.ts'

/** VNDB's platform codes, keyed by the names that the wiki uses, in lower case and without spaces. */
const PLATFORMS = new Map(
  Object.entries({
    win: ['pc', 'windows', 'win', 'pcdvd', 'pccd'],
    dos: ['dos', 'msdos'],
    lin: ['linux'],
    mac: ['mac', 'macos', 'macosx', 'macintosh'],
    ios: ['ios', 'iphone', 'ipad'],
    and: ['android', '安卓'],
    web: ['web', '网页', '浏览器', 'browser'],
    mob: ['手机', '移动平台', 'symbian', 'java', 'fomai', 'i-mode'],
    ps1: ['ps', 'ps1', 'playstation'],
    ps2: ['ps2', 'playstation2'],
    ps3: ['ps3', 'playstation3'],
    ps4: ['ps4', 'playstation4'],
    ps5: ['ps5', 'playstation5'],
    psp: ['psp', 'playstationportable'],
    psv: ['psv', 'psvita', 'playstationvita'],
    xb1: ['xbox'],
    xb3: ['xbox360', 'x360'],
    xbo: ['xboxone', 'xbone'],
    xxs: [
      'xboxseriesx',
      'xboxseriess',
      'xboxseriesx/s',
      'xboxseriesx|s',
      'xboxseries',
      'xsx',
      'xss',
    ],
    nes: ['fc', 'nes', 'famicom', '红白机'],
    sfc: ['sfc', 'snes', 'superfamicom'],
    gba: ['gba', 'gameboyadvance'],
    gbc: ['gb', 'gbc', 'gameboy', 'gameboycolor'],
    nds: ['nds', 'ds', 'nintendods'],
    n3d: ['3ds', 'nintendo3ds'],
    wii: ['wii'],
    wiu: ['wiiu'],
    swi: ['ns', 'switch', 'nintendoswitch'],
    sw2: ['ns2', 'switch2', 'nintendoswitch2'],
    sat: ['ss', 'saturn', 'segasaturn'],
    drc: ['dc', 'dreamcast'],
    smd: ['md', 'megadrive', 'genesis'],
    scd: ['mcd', 'megacd', 'segacd'],
    pce: ['pce', 'pcengine'],
    pcf: ['pcfx', 'pc-fx'],
    p88: ['pc88', 'pc-88', 'pc-8801'],
    p98: ['pc98', 'pc-98', 'pc-9801'],
    x68: ['x68000', 'x68k'],
    fmt: ['fmtowns', 'fm-towns'],
    msx: ['msx', 'msx2'],
    tdo: ['3do'],
  }).flatMap(([code, names]) => names.map((name): [string, string] => [name, code])),
)

/** Returns VNDB's code of a platform, or `undefined` for an unknown one (`街机`, `Stadia`). */
export function platformCode(name: string): string | undefined {
  return PLATFORMS.get(toHalfWidth(name).toLowerCase().replace(/\s/g, ''))
}
