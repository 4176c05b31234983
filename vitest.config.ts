/** Four projects, by what a test needs: nothing, processes, database servers, or a machine for itself. `LONG=1` runs the long versions. */
import { defineConfig } from 'vitest/config'
import { cleanEnvironment } from './test/support/clean-environment.ts'

const processes = 'test/**/*.process.test.ts'
const databases = 'test/**/*.database.test.ts'
const hard = 'test/hard/**/*.test.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/support/build-workers.ts'],
    setupFiles: ['test/support/own-data-folder.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 4,
    isolate: false, // what is loaded once serves all files of a worker; no test leaves anything behind
    provide: { machine: cleanEnvironment() },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [processes, databases, hard],
        },
      },
      { extends: true, test: { name: 'process', include: [processes] } },
      // One file after the other, and beside no other tests: a cluster wants a machine for itself.
      {
        extends: true,
        test: {
          name: 'database',
          include: [databases],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'hard', include: [hard], maxWorkers: 2, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
