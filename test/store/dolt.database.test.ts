/** Dolt as a store: what every store holds, on a server of its own. */
import { serverStoreSuite } from '../suites/store-suite.ts'
import { describeWith } from '../support/parts.ts'
import { startDolt } from '../support/store/dolt.ts'

describeWith('dolt', 'Dolt', () => serverStoreSuite('Dolt', startDolt))
