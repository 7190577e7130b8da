package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Arguments: address, topic, authority's PEM, own certificate and key in one PEM. Writes a record and reads it.
func main() {
	address, topic := os.Args[1], os.Args[2]
	authority := must(os.ReadFile(os.Args[3]))
	believed := x509.NewCertPool()
	believed.AppendCertsFromPEM(authority)
	own := must(tls.LoadX509KeyPair(os.Args[4], os.Args[4]))
	config := &tls.Config{RootCAs: believed, Certificates: []tls.Certificate{own}}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	client := must(kgo.NewClient(
		kgo.SeedBrokers(address), kgo.DialTLSConfig(config), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	))
	defer client.Close()
	written := client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("from franz-go")})
	check(written.FirstErr())
	fetched := client.PollFetches(ctx)
	check(fetched.Err())
	fetched.EachRecord(func(record *kgo.Record) { fmt.Println(string(record.Value)) })
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
