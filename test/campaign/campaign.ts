import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type OpenDatabase } from '../../src/db/database.ts'
import type { Engine } from '#test/databases.ts'
import { SeededRandom } from '#test/seeded-random.ts'
import { createCast, signCastIn, type Cast } from './actors.ts'
import { CampaignChecks } from './checks.ts'
import { chooseVictim, nextMode, VICTIMS, type VictimName } from './kills.ts'
import { Ledger } from './ledger.ts'
import { CampaignStage, type ServiceMode } from './stage.ts'
import type { Writer } from './writer.ts'
import { makeWriters } from './writers.ts'

/** Acknowledged writes before a kill, at random. They take about half a second on an idle machine. */
const MIN_BEFORE_KILL = 30
const MAX_BEFORE_KILL = 240
/** Time, in milliseconds, between the last of them and the kill, at random. */
const MAX_PAUSE_MS = 20
/** Acknowledged writes after a kill that the service survives. */
const AFTER_KILL = 20
/** Time, in milliseconds, after which users sign in again. Access tokens expire after an hour. */
const TOKEN_AGE_MS = 30 * 60_000
/** Time, in milliseconds, within which the service must write again. Far above what it takes on an idle machine. */
const MAX_RECOVERY_MS = 120_000
/** Time, in milliseconds, after which a service that does not say whether it is ready is asked again. */
const MAX_READY_MS = 10_000
/** Number of rounds after which the whole history is checked. */
const FULL_CHECK_ROUNDS = 50

/** A database, a service, their users, and what is known of their writes. */
export class Campaign {
  readonly stage: CampaignStage
  readonly ledger: Ledger
  readonly kills = new Map<VictimName, number>()
  /** Longest time, in milliseconds, from a kill to the next successful write, by victim. */
  readonly recoveries = new Map<VictimName, number[]>()
  rounds = 0
  readonly #random: SeededRandom
  readonly #cast: Cast
  readonly #checks: CampaignChecks
  readonly #writers: Writer[]
  #database: OpenDatabase | undefined
  #signedInAt = 0

  private constructor(stage: CampaignStage, cast: Cast, seed: number) {
    this.stage = stage
    this.#cast = cast
    this.#random = new SeededRandom(seed)
    this.ledger = new Ledger(stage.ledgerFile)
    this.#checks = new CampaignChecks(stage, this.ledger, cast)
    this.#writers = makeWriters({
      url: stage.url,
      ledger: this.ledger,
      cast,
      database: () => {
        if (!this.#database) throw new Error('the database is not open')
        return this.#database.db
      },
    })
  }

  /** @param scorers number of users who send only scores */
  static async create(engine: Engine, seed: number, scorers?: number): Promise<Campaign> {
    const stage = await CampaignStage.create(engine)
    try {
      const campaign = new Campaign(stage, await createCast(stage, scorers), seed)
      await stage.startService({})
      await campaign.#signIn()
      return campaign
    } catch (error) {
      await stage.close()
      throw error
    }
  }

  /** Number of statements that saved ratings of several users, and number of these ratings. */
  get shared() {
    return this.#checks.shared
  }

  async #signIn() {
    await signCastIn(this.stage, this.#cast)
    this.#signedInAt = Date.now()
  }

  /**
   * Runs the writers until the returned function is called, which resolves once all of them are done.
   *
   * @param pauseMs time, in milliseconds, between two writes of a writer
   */
  async write(pauseMs = 0): Promise<() => Promise<void>> {
    this.#database = await openDatabase({ ...this.stage.database, databasePoolSize: 2 })
    const stopping = new AbortController()
    const running = this.#writers.map(async (writer) => {
      const random = this.#random.fork()
      while (!stopping.signal.aborted) {
        await writer(random).catch((error: unknown) => {
          this.ledger.fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
          stopping.abort()
        })
        if (pauseMs > 0) await sleep(pauseMs)
      }
    })
    return async () => {
      stopping.abort()
      await Promise.all(running)
      // An embedded database may be gone with the service that had it open.
      await this.#database?.close().catch(() => {})
      this.#database = undefined
    }
  }

  /**
   * Kills a process while the writers run, waits for the recovery, and checks everything.
   *
   * @param victim by default, the one with the fewest kills
   * @returns the victim
   */
  async runRound(
    victim: VictimName = chooseVictim(this.stage, this.kills, this.#random),
  ): Promise<VictimName> {
    const stop = await this.write()
    await this.#acknowledged(
      MIN_BEFORE_KILL + this.#random.below(MAX_BEFORE_KILL - MIN_BEFORE_KILL),
    )
    await sleep(this.#random.below(MAX_PAUSE_MS))
    const killedAt = performance.now()
    await VICTIMS[victim].kill(this.stage, this.#random)
    if (VICTIMS[victim].stopsService) {
      await stop()
      await this.stage.startService(nextMode(this.stage))
    }
    await this.recover()
    this.recoveries.set(victim, [
      ...(this.recoveries.get(victim) ?? []),
      performance.now() - killedAt,
    ])
    if (!VICTIMS[victim].stopsService) {
      await this.#acknowledged(AFTER_KILL)
      await stop()
    }
    await this.check((this.rounds + 1) % FULL_CHECK_ROUNDS === 0)
    this.rounds += 1
    this.kills.set(victim, (this.kills.get(victim) ?? 0) + 1)
    return victim
  }

  /** Waits until the service has acknowledged this many more writes. */
  #acknowledged(count: number) {
    const enough = this.ledger.total().acknowledged + count
    return this.#until(() => this.ledger.total().acknowledged >= enough)
  }

  /** Waits until the service has acknowledged a write of every kind, while the writers run. */
  acknowledgeEveryKind() {
    const { tallies } = this.ledger
    return this.#until(() => [...tallies.values()].every(({ acknowledged }) => acknowledged > 0))
  }

  /** Waits until the condition holds, or there is a violation. */
  async #until(condition: () => boolean) {
    for (
      const deadline = Date.now() + MAX_RECOVERY_MS;
      !condition() && this.ledger.violations.length === 0;
      await sleep(5)
    )
      if (Date.now() > deadline) throw new Error('the service does not write')
  }

  /** Stops the service and starts it in another mode. */
  async restart(mode: ServiceMode) {
    await this.stage.stopService()
    await this.stage.startService(mode)
  }

  /** Waits until the service can write again. */
  async recover() {
    for (const deadline = Date.now() + MAX_RECOVERY_MS; !(await this.#isReady()); await sleep(20))
      if (Date.now() > deadline)
        throw new Error(`the service did not recover: ${this.stage.service.output().slice(-2_000)}`)
  }

  async #isReady() {
    const response = await fetch(`${this.stage.url}/health/ready`, {
      signal: AbortSignal.timeout(MAX_READY_MS),
    }).catch(() => undefined)
    await response?.body?.cancel()
    return response?.status === 200
  }

  /** @param isFull whether to follow the whole history of every rating */
  async check(isFull: boolean) {
    await this.#checks.run(isFull)
    if (Date.now() - this.#signedInAt > TOKEN_AGE_MS) await this.#signIn()
  }
}
