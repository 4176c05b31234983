/** MariaDB as a store: what every store holds, on a server of its own. */
import { serverStoreSuite } from '../suites/store-suite.ts'
import { describeWith } from '../support/parts.ts'
import { startMariadb } from '../support/store/mariadb.ts'

describeWith('mariadbd', 'MariaDB', () => serverStoreSuite('MariaDB', startMariadb))
