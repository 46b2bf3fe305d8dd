// #[retry(retrier = self.retrier, cancel = self.stop.cancelled(), observe = log)]
impl<T: Store> Client<T> {
    const N: [u8; 2] = [1, 2];
    pub fn new() -> Self {
        make()
    }
    ///Gets.
    #[retry(retrier = self.retrier, cancel = self.stop.cancelled(), observe = log)]
    #[rustfmt::retry_shared_keys]
    pub async fn get(&self, id: Id) -> Result<Page, Error> {
        self.fetch(id).await
    }
    #[retry_runtime::retry(
        policy = POLICY,
        budget = DB,
        classify_err = judge,
        observe = log
    )]
    #[rustfmt::retry_shared_keys]
    #[instrument]
    async fn put(&self) -> Result<(), Error> {
        self.store().await
    }
    #[instrument]
    #[rustfmt::retry_keys_of_impl]
    async fn plain(&self) {}
}
