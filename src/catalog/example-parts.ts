/** Parts of the examples in the OpenAPI document, which stand beside each kind. */

export const TIMES_EXAMPLE = {
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:00:00.000Z',
  revised_at: null,
}

export const WORK_EXAMPLE = {
  rating: {
    score: 0,
    total: 0,
    count: { '1': 0, '2': 0, '3': 0, '4': 0, '5': 0, '6': 0, '7': 0, '8': 0, '9': 0, '10': 0 },
  },
  nsfw: false,
  ...TIMES_EXAMPLE,
}

export const exampleRef = (
  id: number,
  name: string,
  trans_name: string | null = null,
  image: object | null = null,
) => ({ id, name, trans_name, image })

/** 古河渚, whose portrait is Bangumi's. */
export const NAGISA = exampleRef(2, '古河渚', '古河渚', {
  url: 'https://lain.bgm.tv/pic/crt/l/e9/cf/4_crt_f11eW.jpg?r=1560006952',
  width: null,
  height: null,
  sexual: 0,
  violence: 0,
})
