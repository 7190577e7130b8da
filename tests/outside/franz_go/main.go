package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Arguments: address, topic, authority's PEM, and own certificate and key in one PEM, or a mechanism, a user and a
// password. Writes a record and reads it.
func main() {
	address, topic := os.Args[1], os.Args[2]
	authority := must(os.ReadFile(os.Args[3]))
	believed := x509.NewCertPool()
	believed.AppendCertsFromPEM(authority)
	config := &tls.Config{RootCAs: believed}
	options := []kgo.Opt{
		kgo.SeedBrokers(address), kgo.DialTLSConfig(config), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	}
	if len(os.Args) > 5 {
		user, password := os.Args[5], os.Args[6]
		logins := map[string]sasl.Mechanism{
			"PLAIN":         plain.Auth{User: user, Pass: password}.AsMechanism(),
			"SCRAM-SHA-256": scram.Auth{User: user, Pass: password}.AsSha256Mechanism(),
			"SCRAM-SHA-512": scram.Auth{User: user, Pass: password}.AsSha512Mechanism(),
		}
		options = append(options, kgo.SASL(logins[os.Args[4]]))
	} else {
		config.Certificates = []tls.Certificate{must(tls.LoadX509KeyPair(os.Args[4], os.Args[4]))}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	client := must(kgo.NewClient(options...))
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
